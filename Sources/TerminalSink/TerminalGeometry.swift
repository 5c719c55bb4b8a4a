package import MediaCore

/// The area for frames on a terminal, in cells and in pixels.
package struct TerminalGeometry: Hashable, Sendable {
    /// The number of columns for frames.
    package let columns: Int
    /// The number of rows for frames.
    package let rows: Int
    /// The row of the status line, counted from 1; nil if there is none.
    package let statusRow: Int?
    /// The size of a cell in pixels, as the terminal reports it; otherwise 8x16.
    package let cell: PixelSize
    /// Whether the terminal reports its size in pixels.
    package let knowsPixels: Bool

    /// A rectangle of cells. The first column and the first row are 1.
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

    /// Creates the geometry of a terminal's window. Zeroes mean "unknown".
    ///
    /// - Parameters:
    ///   - columns: The number of columns.
    ///   - rows: The number of rows.
    ///   - pixels: The size of the window in pixels.
    ///   - hasStatusLine: Whether the last row is a status line.
    ///   - keepsRow: Whether the last row stays empty.
    package init(columns: Int, rows: Int, pixels: PixelSize, hasStatusLine: Bool, keepsRow: Bool) {
        let columns = columns > 0 ? columns : 80
        let allRows = rows > 0 ? rows : 24
        let isFree = (hasStatusLine || keepsRow) && allRows > 1
        self.columns = columns
        self.rows = isFree ? allRows - 1 : allRows
        statusRow = hasStatusLine && isFree ? allRows : nil
        let cell = PixelSize(width: pixels.width / columns, height: pixels.height / allRows)
        // Cells with an aspect ratio of more than 1:4 are an error of the terminal.
        knowsPixels =
            (2...256).contains(cell.width) && (2...256).contains(cell.height)
            && cell.height <= 4 * cell.width && cell.width <= 4 * cell.height
        self.cell = knowsPixels ? cell : PixelSize(width: 8, height: 16)
    }

    /// Returns the size of a layer that fills the area. It has the shape of the area, and as many pixels as are
    /// drawn.
    package func layerSize(_ graphics: TerminalGraphics) -> PixelSize {
        let height = rows * cell.height
        // libchafa draws whole sixels, which are six pixels high, and scales frames of another height. If this loses a
        // row of cells, the frame has the height of the area.
        let sixels = graphics == .sixel && height >= 6 ? [height / 6 * 6] : []
        let sizes = (sixels + [height]).flatMap { layerSizes(height: $0, graphics) }
        return sizes.first { size in
            let cells = cellRect(for: size)
            return cells.columns == columns && cells.rows == rows
        } ?? sizes[0]
    }

    /// Returns sizes with the shape of the columns and a height, rounded up or down, so that no column or row is lost.
    private func layerSizes(height: Int, _ graphics: TerminalGraphics) -> [PixelSize] {
        let (width, height) = (Double(columns * cell.width), Double(height))
        let factor = min(1, (Double(Self.pixelLimit(graphics)) / (width * height)).squareRoot())
        return [(0.5, 0.5), (0.5, 0), (0, 0.5)].map { across, down in
            PixelSize(
                width: max(1, Int(width * factor + across)),
                height: max(1, Int(height * factor + down))
            )
        }
    }

    /// Returns the size of a cell for drawing, in pixels.
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

    /// Returns the cells for a frame of the given size: centered, with its aspect ratio kept.
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

    /// Returns the largest useful number of pixels. More would not be visible or would exceed the bandwidth: kitty
    /// and iTerm receive five bytes for each pixel.
    private static func pixelLimit(_ graphics: TerminalGraphics) -> Int {
        switch graphics {
        case .symbols, .kitty, .iterm: 960 * 540
        case .sixel: 1920 * 1080
        }
    }
}
