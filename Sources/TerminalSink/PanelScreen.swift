internal import Glibc
package import MediaCore

/// A full-screen list of lines beside an image, for pickers.
///
/// It always shows the newest content. If the terminal is slow, intermediate content is skipped. Like `TerminalSink`,
/// no call waits for the terminal.
package final class PanelScreen: Sendable {
    /// The content of the screen. Texts must fit into the columns; they are not truncated.
    package struct Content: Sendable {
        package var lines: [String] = []
        /// The index in `lines` of the line that is shown in reverse video.
        package var selected: Int?
        /// The text in the last row.
        package var status = ""
        /// The image, in RGBA.
        package var image: VideoFrame?

        package init() {}
    }

    private struct State {
        var content = Content()
        var isNew = false
        /// The number of images received so far.
        var imageNumber = 0
        /// The number of the image on the screen.
        var shownImage: Int?
        var mustClear = true
        var isEntered = false
        var isDrawing = false
        var isSuspended = false
        var isFinished = false
    }

    private let state = Locked(State())
    let line: TerminalLine
    /// The canvas for images; nil if libchafa is not installed.
    private let canvas: CellCanvas?
    private let graphics: TerminalGraphics

    /// Creates a screen without writing to the terminal.
    ///
    /// - Throws: `PlaybackError` with the code `.displayUnavailable` if `terminal` is not a terminal, or if the environment does
    ///   not name one that can position its cursor.
    package init(terminal: Int32, environment: [String: String]) throws(PlaybackError) {
        guard isatty(terminal) == 1 else {
            throw PlaybackError(
                code: .displayUnavailable,
                message: "\(TerminalLine.name(of: terminal)) is not a terminal"
            )
        }
        guard var capabilities = TerminalCapabilities(environment: environment) else {
            throw TerminalCapabilities.missing(environment)
        }
        guard let line = TerminalLine(terminal) else {
            let name = TerminalLine.name(of: terminal)
            throw PlaybackError(
                systemCode: errno,
                code: .displayUnavailable,
                "\(name): cannot open the terminal"
            )
        }
        self.line = line
        if capabilities.graphics == .sixel, line.window.pixels.isEmpty { capabilities.graphics = .symbols }
        graphics = capabilities.graphics
        switch ChafaLibrary.shared {
        case .success(let library): canvas = try CellCanvas(library, capabilities)
        case .failure: canvas = nil
        }
    }

    /// Whether images can be shown.
    package var canShowImages: Bool { canvas != nil }

    /// The size of the terminal now. `textColumns` is the number of columns for lines: all of them if there is no
    /// space for images.
    package var size: (columns: Int, rows: Int, textColumns: Int) {
        let window = line.window
        let columns = window.columns > 0 ? window.columns : 80
        let rows = window.rows > 0 ? window.rows : 24
        let hasRoom = canvas != nil && columns >= 40 && rows >= 6
        return (columns, rows, hasRoom ? columns * 2 / 5 : columns)
    }

    /// The size of the image area in pixels.
    package var imageSize: PixelSize { geometry.layerSize(graphics) }

    /// The area for images: the columns to the right of the lines, except one between them, and all rows except the
    /// last.
    private var geometry: TerminalGeometry {
        let (columns, rows, textColumns) = size
        let pixels = line.window.pixels
        let free = max(1, columns - textColumns - 1)
        return TerminalGeometry(
            columns: free,
            rows: max(1, rows - 1),
            pixels: PixelSize(
                width: pixels.width / columns * free,
                height: pixels.height / rows * max(1, rows - 1)
            ),
            hasStatusLine: false,
            keepsRow: false
        )
    }

    /// Shows content.
    ///
    /// - Parameters:
    ///   - content: The new content.
    ///   - imageDidChange: Whether `content.image` differs from the previous one.
    package func show(_ content: Content, imageDidChange: Bool) {
        state.withLock { state in
            state.content = content
            state.isNew = true
            if imageDidChange { state.imageNumber += 1 }
        }
        draw()
    }

    /// Draws everything again, after the terminal was resized or used by another program.
    package func redraw() {
        state.withLock { $0.mustClear = true }
        draw()
    }

    /// Shows content that was not shown while the process was in the background.
    package func refresh() { draw() }

    /// Restores the terminal's screen until `resume`. May be called repeatedly, on any thread.
    package func suspend() {
        state.withLock { $0.isSuspended = true }
        restoreScreen(isLast: false)
    }

    /// Shows the newest content again after `suspend`.
    package func resume() {
        state.withLock { $0.isSuspended = false }
        redraw()
    }

    /// Restores the terminal's screen permanently.
    package func finish() {
        state.withLock { $0.isFinished = true }
        restoreScreen(isLast: true)
    }

    private func restoreScreen(isLast: Bool) {
        state.withLock { $0.isEntered = false }
        line.leave(ScreenBytes.leave(graphics, rows: size.rows), isLast: isLast)
    }

    /// Writes changed content, unless a write is in progress; its completion then draws the change.
    private func draw() {
        while let work = next() {
            let outcome = line.write(bytes(of: work)) { [weak self] outcome in
                self?.didWrite(outcome)
                self?.draw()
            }
            if outcome == .pending { return }
            didWrite(outcome)
            if case .failed = outcome { return }
        }
    }

    private func didWrite(_ outcome: TerminalLine.Outcome) {
        state.withLock { state in
            state.isDrawing = false
            // A thread that restores the screen may do so after another one has entered it again.
            guard outcome == .abandoned else { return }
            state.isEntered = false
            state.mustClear = true
        }
    }

    private struct Work {
        let content: Content
        let drawsImage: Bool
        let clears: Bool
    }

    private func next() -> Work? {
        state.withLock { state in
            guard !state.isDrawing, !state.isSuspended, !state.isFinished, line.isForeground,
                state.isNew || state.mustClear
            else { return nil }
            if !state.isEntered {
                guard line.enter(ScreenBytes.enter) else { return nil }
                state.isEntered = true
                state.mustClear = true
            }
            let isNew = state.mustClear || state.shownImage != state.imageNumber
            let work = Work(content: state.content, drawsImage: isNew, clears: state.mustClear)
            state.shownImage = state.imageNumber
            (state.isDrawing, state.isNew, state.mustClear) = (true, false, false)
            return work
        }
    }

    private func bytes(of work: Work) -> [UInt8] {
        let (_, rows, textColumns) = size
        var bytes = Array("\u{1B}[?2026h\u{1B}[0m".utf8)
        if work.clears { bytes += "\u{1B}[2J".utf8 }
        // The space to the right of the lines contains the previous image.
        let end = work.drawsImage ? "\u{1B}[K" : ""
        for row in 0..<max(1, rows - 1) {
            bytes += "\u{1B}[\(row + 1);1H".utf8
            let text = row < work.content.lines.count ? work.content.lines[row] : ""
            if row == work.content.selected {
                bytes += "\u{1B}[7m\(text)\u{1B}[0m\(end)".utf8
            } else {
                bytes += (text.isEmpty ? String(repeating: " ", count: textColumns) : text).utf8
                bytes += end.utf8
            }
        }
        bytes += "\u{1B}[\(rows);1H\(work.content.status)\u{1B}[K".utf8
        if work.drawsImage { bytes += imageBytes(work.content.image, column: textColumns + 1) }
        bytes += "\u{1B}[?2026l".utf8
        return bytes
    }

    /// Returns the bytes that draw an image. An image that cannot be drawn is omitted, because the lines matter more.
    private func imageBytes(_ image: VideoFrame?, column: Int) -> [UInt8] {
        let gone = graphics == .kitty ? Array(ScreenBytes.kittyForget.utf8) : []
        guard let canvas, let image, size.textColumns < size.columns else { return gone }
        let geometry = geometry
        let cells = geometry.cellRect(for: image.size)
        let moved = TerminalGeometry.CellRect(
            column: cells.column + column,
            row: cells.row,
            columns: cells.columns,
            rows: cells.rows
        )
        do {
            return try canvas.draw(image, at: moved, cell: geometry.canvasCellSize(graphics)) { drawn in
                var bytes: [UInt8] = []
                ScreenBytes.append(drawn, at: moved, to: &bytes)
                return bytes + "\u{1B}[0m".utf8
            }
        } catch {
            return gone
        }
    }
}
