import MediaCore
import TerminalSink
import Testing

@Suite("Terminal geometry")
struct TerminalGeometryTests {
    static func geometry(
        _ columns: Int,
        _ rows: Int,
        _ width: Int = 0,
        _ height: Int = 0,
        status: Bool = true
    ) -> TerminalGeometry {
        TerminalGeometry(
            columns: columns,
            rows: rows,
            pixels: PixelSize(width: width, height: height),
            hasStatusLine: status,
            keepsRow: false
        )
    }

    @Test("The cell size is that of the terminal, otherwise twice as high as wide")
    func cells() {
        let known = Self.geometry(100, 30, 900, 570)
        #expect(known.cell == PixelSize(width: 9, height: 19))
        #expect(known.knowsPixels)
        // No pixels, one pixel per cell, and impossible shapes of cells.
        for (width, height) in [(0, 0), (100, 30), (900, 30 * 37), (3000, 30 * 5)] {
            let unknown = Self.geometry(100, 30, width, height)
            #expect(unknown.cell == PixelSize(width: 8, height: 16))
            #expect(!unknown.knowsPixels)
        }
    }

    @Test("The last row is reserved if there is another one")
    func rows() {
        #expect(Self.geometry(80, 24).rows == 23)
        #expect(Self.geometry(80, 24).statusRow == 24)
        #expect(Self.geometry(80, 24, status: false).rows == 24)
        #expect(Self.geometry(80, 24, status: false).statusRow == nil)
        #expect(Self.geometry(80, 1).rows == 1)
        #expect(Self.geometry(80, 1).statusRow == nil)
        // A terminal that reports no size.
        #expect(Self.geometry(0, 0).columns == 80)
        #expect(Self.geometry(0, 0).rows == 23)
        let kept = TerminalGeometry(
            columns: 80,
            rows: 24,
            pixels: .zero,
            hasStatusLine: false,
            keepsRow: true
        )
        #expect(kept.rows == 23)
        #expect(kept.statusRow == nil)
    }

    @Test(
        "A frame is centered and keeps its aspect ratio",
        arguments: [
            // 80x24 cells of 1:2 are 640x384.
            (1280, 720, 1, 1, 80, 23), (640, 480, 9, 1, 64, 24), (480, 640, 23, 1, 36, 24),
            (640, 384, 1, 1, 80, 24),
            (3000, 10, 1, 12, 80, 1), (10, 3000, 40, 1, 1, 24), (1, 1, 17, 1, 48, 24),
        ] as [(Int, Int, Int, Int, Int, Int)]
    )
    func places(width: Int, height: Int, column: Int, row: Int, columns: Int, rows: Int) {
        let place = Self.geometry(80, 24, status: false).cellRect(
            for: PixelSize(width: width, height: height)
        )
        #expect(place.column == column)
        #expect(place.row == row)
        #expect(place.columns == columns)
        #expect(place.rows == rows)
    }

    @Test("A layer of layerSize fills the terminal for any cell size")
    func layers() {
        for (width, height) in [(0, 0), (7, 13), (8, 16), (9, 19), (10, 20), (16, 33), (12, 12)] {
            for (columns, rows) in [(80, 24), (200, 50), (33, 71), (2, 2), (500, 130), (1000, 3), (1, 60)] {
                let geometry = Self.geometry(columns, rows, columns * width, rows * height)
                for graphics in TerminalGraphics.allCases {
                    let size = geometry.layerSize(graphics)
                    let place = geometry.cellRect(for: size)
                    #expect(
                        place.columns == geometry.columns,
                        "\(columns)x\(rows) of \(width)x\(height) \(size)"
                    )
                    #expect(place.rows == geometry.rows, "\(columns)x\(rows) of \(width)x\(height) \(size)")
                    #expect(size.width * size.height <= (graphics == .sixel ? 2_100_000 : 530_000))
                }
            }
        }
    }

    @Test("A layer for sixels has a height in whole sixels, unless this loses a row of cells")
    func sixelLayers() {
        #expect(Self.geometry(20, 6, 200, 120).layerSize(.sixel) == PixelSize(width: 200, height: 96))
        #expect(Self.geometry(20, 6, 200, 120).layerSize(.iterm) == PixelSize(width: 200, height: 100))
        // 30 rows of 20 pixels.
        #expect(Self.geometry(80, 31, 800, 620).layerSize(.sixel) == PixelSize(width: 800, height: 600))
        // 7 rows of 5 pixels, of which 30 pixels would be 6 rows.
        #expect(Self.geometry(20, 8, 60, 40).layerSize(.sixel) == PixelSize(width: 60, height: 35))
        // Rows of 2 pixels.
        #expect(Self.geometry(20, 3, 40, 6).layerSize(.sixel) == PixelSize(width: 40, height: 4))
    }

    @Test("Sixels use the terminal's pixels; kitty and iTerm scale fewer pixels")
    func canvases() {
        let geometry = Self.geometry(200, 51, 2000, 51 * 20)
        #expect(geometry.canvasCellSize(.sixel) == PixelSize(width: 10, height: 20))
        #expect(geometry.canvasCellSize(.kitty) == PixelSize(width: 5, height: 10))
        #expect(Self.geometry(80, 24, 640, 384).canvasCellSize(.kitty) == PixelSize(width: 8, height: 16))
    }
}
