internal import CChafa
internal import MediaCore

/// A canvas on which libchafa draws frames for a terminal.
///
/// `@unchecked Sendable`: only one thread at a time uses it; see `TerminalSink`.
final class CellCanvas: @unchecked Sendable {
    private let chafa: ph_chafa
    private let capabilities: TerminalCapabilities
    private let info: OpaquePointer
    private var canvas: OpaquePointer?
    private var shape: Shape?

    private struct Shape: Hashable {
        let columns: Int
        let rows: Int
        let cell: PixelSize
    }

    init(_ library: ChafaLibrary, _ capabilities: TerminalCapabilities) throws(PlaybackError) {
        chafa = library.functions
        self.capabilities = capabilities
        // All known sequences, because the capabilities of the terminal are determined elsewhere.
        guard let db = chafa.chafa_term_db_get_default(), let info = chafa.chafa_term_db_get_fallback_info(db)
        else {
            throw PlaybackError(code: .displayUnavailable, message: "libchafa has no terminal sequences")
        }
        self.info = info
        let sequence = UInt32(PH_CHAFA_BEGIN_KITTY_IMAGE)
        guard chafa.chafa_term_info_set_seq(info, sequence, ScreenBytes.kittyBegin, nil) != 0 else {
            chafa.chafa_term_info_unref(info)
            throw PlaybackError(code: .displayUnavailable, message: "libchafa rejected a terminal sequence")
        }
    }

    deinit {
        if let canvas { chafa.chafa_canvas_unref(canvas) }
        chafa.chafa_term_info_unref(info)
    }

    /// Draws a frame.
    ///
    /// - Parameters:
    ///   - frame: An RGBA frame.
    ///   - cells: The cells to cover.
    ///   - cell: The size of a cell in pixels.
    ///   - body: Receives the bytes to write to the terminal: rows of cells separated by line feeds, or one image.
    /// - Returns: The result of `body`.
    /// - Throws: `PlaybackError` with the code `.displayUnavailable`, or the error of `body`.
    func draw<Result>(
        _ frame: VideoFrame,
        at cells: TerminalGeometry.CellRect,
        cell: PixelSize,
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        let shape = Shape(columns: cells.columns, rows: cells.rows, cell: cell)
        if shape != self.shape { try begin(shape) }
        guard let canvas else {
            throw PlaybackError(code: .displayUnavailable, message: "libchafa could not create a canvas")
        }
        try frame.withPlanes { planes in
            guard let plane = planes.first, plane.bytesUsedPerRow >= frame.size.width * 4 else {
                throw PlaybackError(
                    code: .displayUnavailable,
                    message: "the pixel format \(frame.pixelFormat) is not RGBA"
                )
            }
            withTopDownRows(plane) { pixels, stride in
                chafa.chafa_canvas_draw_all_pixels(
                    canvas,
                    UInt32(PH_CHAFA_RGBA),
                    pixels.assumingMemoryBound(to: UInt8.self),
                    Int32(frame.size.width),
                    Int32(frame.size.height),
                    Int32(stride)
                )
            }
        }
        guard let string = chafa.chafa_canvas_print(canvas, info) else {
            throw PlaybackError(code: .displayUnavailable, message: "libchafa could not draw the frame")
        }
        defer { _ = chafa.g_string_free(string, 1) }
        let text = UnsafeRawPointer(string).load(as: ph_chafa_text.self)
        return try body(UnsafeRawBufferPointer(start: text.bytes, count: text.count))
    }

    /// Calls `body` with rows from top to bottom, because libchafa does not support a negative stride.
    private func withTopDownRows(_ plane: VideoPlane, _ body: (UnsafeRawPointer, Int) -> Void) {
        guard plane.bytesPerRow < 0 else { return body(plane.baseAddress, plane.bytesPerRow) }
        let count = plane.bytesUsedPerRow
        withUnsafeTemporaryAllocation(byteCount: count * plane.rowCount, alignment: 4) { copy in
            guard let start = copy.baseAddress else { return }
            for row in 0..<plane.rowCount {
                let source = plane.baseAddress + row * plane.bytesPerRow
                (start + row * count).copyMemory(from: source, byteCount: count)
            }
            body(start, count)
        }
    }

    private func begin(_ shape: Shape) throws(PlaybackError) {
        if let canvas { chafa.chafa_canvas_unref(canvas) }
        canvas = nil
        self.shape = nil
        guard let config = chafa.chafa_canvas_config_new(), let symbols = chafa.chafa_symbol_map_new() else {
            throw PlaybackError(code: .displayUnavailable, message: "libchafa could not create a canvas")
        }
        defer {
            chafa.chafa_canvas_config_unref(config)
            chafa.chafa_symbol_map_unref(symbols)
        }
        chafa.chafa_canvas_config_set_geometry(config, Int32(shape.columns), Int32(shape.rows))
        chafa.chafa_canvas_config_set_cell_geometry(config, Int32(shape.cell.width), Int32(shape.cell.height))
        chafa.chafa_canvas_config_set_pixel_mode(config, pixelMode)
        chafa.chafa_canvas_config_set_canvas_mode(config, canvasMode)
        chafa.chafa_symbol_map_add_by_tags(symbols, symbolTags)
        chafa.chafa_canvas_config_set_symbol_map(config, symbols)
        chafa.chafa_canvas_config_set_work_factor(config, Self.workFactor)
        if capabilities.graphics == .sixel {
            // Transparent pixels would show the previous frame.
            chafa.chafa_canvas_config_set_bg_color(config, 0)
            chafa.chafa_canvas_config_set_transparency_threshold(config, 1)
        }
        guard let canvas = chafa.chafa_canvas_new(config) else {
            throw PlaybackError(code: .displayUnavailable, message: "libchafa could not create a canvas")
        }
        self.canvas = canvas
        self.shape = shape
    }

    private var pixelMode: UInt32 {
        switch capabilities.graphics {
        case .symbols: UInt32(PH_CHAFA_SYMBOLS)
        case .sixel: UInt32(PH_CHAFA_SIXELS)
        case .kitty: UInt32(PH_CHAFA_KITTY)
        case .iterm: UInt32(PH_CHAFA_ITERM)
        }
    }

    private var canvasMode: UInt32 {
        // Graphics protocols support all colors.
        if capabilities.graphics != .symbols { return UInt32(PH_CHAFA_TRUE_COLOR) }
        return switch capabilities.colors {
        case .trueColor: UInt32(PH_CHAFA_TRUE_COLOR)
        // Users configure the first 16 of the 256 colors, so they are not used.
        case .of256: UInt32(PH_CHAFA_240_COLORS)
        case .of16: UInt32(PH_CHAFA_16_COLORS)
        case .none: UInt32(PH_CHAFA_NO_COLORS)
        }
    }

    private var symbolTags: Int32 {
        let tags =
            switch capabilities.symbols {
            case .blocks: [PH_CHAFA_TAG_SPACE, PH_CHAFA_TAG_BLOCK]
            case .halves: [PH_CHAFA_TAG_SPACE, PH_CHAFA_TAG_SOLID, PH_CHAFA_TAG_STIPPLE, PH_CHAFA_TAG_HALF]
            case .ascii: [PH_CHAFA_TAG_SPACE, PH_CHAFA_TAG_ASCII]
            }
        return tags.reduce(0) { $0 | Int32($1) }
    }

    /// The effort of the search for the best symbol, from 0 to 1. A higher value costs several times as much, and the
    /// difference is not visible in motion.
    private static let workFactor: Float = 0.5
}
