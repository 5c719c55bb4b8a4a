package import MediaCore

/// Where pictures lie on a terminal, in cells and in pixels.
package struct TerminalGeometry: Hashable, Sendable {
    /// Cells for graphics.
    package let columns: Int
    package let rows: Int
    /// The row of the status line, from 1; nil: there is none.
    package let statusRow: Int?
    /// Of a cell, as the terminal says; else twice as high as wide.
    package let cell: PixelSize
    /// The terminal said so.
    package let knowsPixels: Bool

    /// Cells that a picture covers; the first column and the first row are 1.
    package struct CellRect: Hashable, Sendable {
        package let column: Int
        package let row: Int
        package let columns: Int
        package let rows: Int

        package init(column: Int, row: Int, columns: Int, rows: Int) {
            self.column = column
            self.row = row
            self.columns = columns
            self.rows = rows
        }
    }

    /// What a terminal tells of its window, zeroes where it knows nothing; `keepsRow`: graphics leave the last row free.
    package init(columns: Int, rows: Int, pixels: PixelSize, hasStatusLine: Bool, keepsRow: Bool) {
        let columns = columns > 0 ? columns : 80
        let allRows = rows > 0 ? rows : 24
        let isFree = (hasStatusLine || keepsRow) && allRows > 1
        self.columns = columns
        self.rows = isFree ? allRows - 1 : allRows
        statusRow = hasStatusLine && isFree ? allRows : nil
        let cell = PixelSize(width: pixels.width / columns, height: pixels.height / allRows)
        // A cell that is four times as high as wide, or wider than high by as much, is a slip.
        knowsPixels =
            (2...256).contains(cell.width) && (2...256).contains(cell.height)
            && cell.height <= 4 * cell.width && cell.width <= 4 * cell.height
        self.cell = knowsPixels ? cell : PixelSize(width: 8, height: 16)
    }

    /// The layer that fills the cells for graphics: in their shape, as large as what is drawn of it.
    package func layerSize(_ graphics: TerminalGraphics) -> PixelSize {
        let (width, height) = (Double(columns * cell.width), Double(rows * cell.height))
        let factor = min(1, (Double(Self.pixelLimit(graphics)) / (width * height)).squareRoot())
        // Rounded either way, so that not a column or row is lost by it.
        let sizes = [(0.5, 0.5), (0.5, 0), (0, 0.5)].map { across, down in
            PixelSize(
                width: max(1, Int(width * factor + across)),
                height: max(1, Int(height * factor + down))
            )
        }
        return sizes.first { size in
            let place = cellRect(for: size)
            return place.columns == columns && place.rows == rows
        } ?? sizes[0]
    }

    /// Pixels of a cell to draw with.
    package func canvasCellSize(_ graphics: TerminalGraphics) -> PixelSize {
        guard graphics != .sixel else { return cell }
        let total = columns * rows * cell.width * cell.height
        let limit = Self.pixelLimit(graphics)
        guard total > limit else { return cell }
        let factor = (Double(limit) / Double(total)).squareRoot()
        return PixelSize(
            width: max(1, Int(Double(cell.width) * factor)),
            height: max(1, Int(Double(cell.height) * factor))
        )
    }

    /// Cells for a picture of that size, in the middle, its shape kept.
    package func cellRect(for size: PixelSize) -> CellRect {
        guard !size.isEmpty else { return CellRect(column: 1, row: 1, columns: columns, rows: rows) }
        let width = Double(columns * cell.width)
        let height = Double(rows * cell.height)
        let factor = min(width / Double(size.width), height / Double(size.height))
        let across = (Double(size.width) * factor / Double(cell.width)).rounded()
        let down = (Double(size.height) * factor / Double(cell.height)).rounded()
        let placed = (columns: min(columns, max(1, Int(across))), rows: min(rows, max(1, Int(down))))
        return CellRect(
            column: (columns - placed.columns) / 2 + 1,
            row: (rows - placed.rows) / 2 + 1,
            columns: placed.columns,
            rows: placed.rows
        )
    }

    /// More would not be seen, or not come through: kitty and iTerm get each pixel in five bytes.
    private static func pixelLimit(_ graphics: TerminalGraphics) -> Int {
        switch graphics {
        case .symbols, .kitty, .iterm: 960 * 540
        case .sixel: 1920 * 1080
        }
    }
}
