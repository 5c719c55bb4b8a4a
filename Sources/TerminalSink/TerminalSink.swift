package import Dispatch
internal import FoundationEssentials
internal import Glibc
public import MediaCore

/// A sink that shows frames in a terminal: as pixels if the terminal supports kitty, iTerm2 or sixel graphics,
/// otherwise as colored characters.
///
/// The capabilities of the terminal are determined from the environment: `TERM`, `COLORTERM`, the locale, and
/// variables that terminals set. In tmux, characters are used. The first frame switches the terminal to its alternate
/// screen without a cursor; `finish()`, `suspend()` and a failure restore the normal screen. Frames are centered and
/// as large as the window permits. A new window size takes effect with the next frame or `refresh()`; 0.3 s after the last
/// change everything is drawn again, because tmux and others draw over what arrives while they change size.
///
/// libchafa is opened with the first sink. No call waits for the terminal, except for up to 0.2 s when the screen of
/// a terminal that accepts nothing is restored. If the terminal is slow, frames other than the newest are dropped and
/// counted. The sink handles no signals: the application calls `suspend()`, `resume()` and `refresh()`.
///
///     let sink = try TerminalSink()
///     let layer = PlayerLayer(player: player, size: sink.layerSize)
///     sink.setSizeHandler { [weak layer] in layer?.size = $0 }
///     layer.add(sink)
public final class TerminalSink: VideoSink {
    struct State {
        var geometry: TerminalGeometry
        /// The newest frame.
        var frame: VideoFrame?
        /// Whether the newest frame has not been drawn yet.
        var isFrameNew = false
        var status = ""
        var isStatusNew = false
        /// Whether the screen shows something else, or the frame at another position.
        var mustClear = false
        /// The number of changes of the size.
        var sizeChanges = 0
        /// The cells of the frame on the screen.
        var cells: TerminalGeometry.CellRect?
        /// Whether the terminal shows the sink's screen.
        var isEntered = false
        /// Whether a draw or a write is in progress.
        var isDrawing = false
        var isSuspended = false
        var isFinished = false
        var failure: PlaybackError?
        var counters = VideoSinkCounters()
        var sizeHandler: (@Sendable (PixelSize) -> Void)?
        var screenHandler: (@Sendable (Bool) -> Void)?
    }

    /// The mutable state.
    let state: Locked<State>
    let line: TerminalLine
    let canvas: CellCanvas
    /// The method by which frames are drawn.
    public let graphics: TerminalGraphics
    private let hasStatusLine: Bool
    /// The time from the last change of the size until everything is drawn again.
    private let resizeSettlingTime: DispatchTimeInterval

    /// Creates a sink without writing to the terminal.
    ///
    /// - Parameters:
    ///   - terminal: The file descriptor of the terminal, which the sink opens again; standard output by default.
    ///   - graphics: The method to draw frames; nil for the best one that the environment declares.
    ///   - hasStatusLine: Whether the last row is kept free for `showStatus(_:)`.
    /// - Throws: `PlaybackError` with the code `.displayUnavailable` if `terminal` is not a terminal, if the environment
    ///   does not name one that can position its cursor (`TERM`), or if libchafa is not installed.
    public convenience init(
        terminal: Int32 = 1,
        graphics: TerminalGraphics? = nil,
        hasStatusLine: Bool = false
    ) throws(PlaybackError) {
        try self.init(
            terminal: terminal,
            graphics: graphics,
            hasStatusLine: hasStatusLine,
            environment: ProcessInfo.processInfo.environment
        )
    }

    package init(
        terminal: Int32,
        graphics requested: TerminalGraphics?,
        hasStatusLine: Bool,
        environment: [String: String],
        library: Result<ChafaLibrary, PlaybackError> = ChafaLibrary.shared,
        resizeSettlingTime: DispatchTimeInterval = .milliseconds(300)
    ) throws(PlaybackError) {
        guard isatty(terminal) == 1 else {
            throw PlaybackError(
                code: .displayUnavailable,
                message: "\(TerminalLine.name(of: terminal)) is not a terminal"
            )
        }
        guard var capabilities = TerminalCapabilities(environment: environment, requested: requested) else {
            throw TerminalCapabilities.missing(environment)
        }
        let library = try library.get()
        guard let line = TerminalLine(terminal) else {
            let name = TerminalLine.name(of: terminal)
            throw PlaybackError(
                systemCode: errno,
                code: .displayUnavailable,
                "\(name): cannot open the terminal"
            )
        }
        let window = Self.geometry(line, capabilities.graphics, hasStatusLine: hasStatusLine)
        // The displayed size of sixels would be unknown. The other protocols use cells as units.
        if requested == nil, capabilities.graphics == .sixel, !window.knowsPixels {
            capabilities.graphics = .symbols
        }
        canvas = try CellCanvas(library, capabilities)
        self.graphics = capabilities.graphics
        self.hasStatusLine = hasStatusLine
        self.resizeSettlingTime = resizeSettlingTime
        self.line = line
        let geometry = Self.geometry(line, capabilities.graphics, hasStatusLine: hasStatusLine)
        state = Locked(State(geometry: geometry))
    }

    private static func geometry(
        _ line: TerminalLine,
        _ graphics: TerminalGraphics,
        hasStatusLine: Bool
    ) -> TerminalGeometry {
        let window = line.window
        return TerminalGeometry(
            columns: window.columns,
            rows: window.rows,
            pixels: window.pixels,
            hasStatusLine: hasStatusLine,
            // The cursor moves below the image and must not scroll it.
            keepsRow: graphics == .sixel || graphics == .iterm
        )
    }

    // MARK: VideoSink

    public var acceptedPixelFormats: [PixelFormat] { [.rgba] }
    public var appliesPreferredTrackTransform: Bool { true }
    public var rendersSubtitles: Bool { true }
    public var lateFramePolicy: LateFramePolicy { .newestOnly }

    /// Does nothing: each frame is drawn by its own format.
    ///
    /// - Throws: This implementation does not throw.
    public func start(_ format: VideoFormat) throws {}

    /// Draws a frame, or replaces one that has not been drawn yet.
    ///
    /// - Throws: `PlaybackError` with the code `.displayUnavailable` if the terminal cannot be written to, or
    ///   `.operationNotAllowed` if the sink is finished.
    public func present(_ frame: VideoFrame) throws(PlaybackError) {
        updateGeometry()
        try state.withLock { state throws(PlaybackError) in
            if let failure = state.failure { throw failure }
            guard !state.isFinished else {
                throw PlaybackError(code: .operationNotAllowed, message: "the terminal sink is finished")
            }
            if state.isFrameNew { state.counters.framesDropped += 1 }
            state.frame = frame
            state.isFrameNew = true
        }
        draw()
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    public func finish() {
        let isFirst = state.withLock { state in
            defer { state.isFinished = true }
            state.frame = nil
            state.sizeHandler = nil
            return !state.isFinished
        }
        if isFirst { restoreScreen(isLast: true) }
    }

    // MARK: For the application

    /// The size in pixels of a layer that fills the terminal.
    ///
    /// A frame of another size is also shown, as large as the terminal permits. With this size, no pixel is converted
    /// that is not visible.
    public var layerSize: PixelSize { state.withLock { $0.geometry }.layerSize(graphics) }

    /// Sets a closure that is called with each new `layerSize`.
    ///
    /// - Parameter handler: Called from `present(_:)` or `refresh()`, on the calling thread. Nil removes the handler.
    public func setSizeHandler(_ handler: (@Sendable (PixelSize) -> Void)?) {
        state.withLock { $0.sizeHandler = handler }
    }

    /// Sets a closure that is called before the sink enters the screen, and after it has restored it.
    ///
    /// - Parameter handler: Receives true before the sink uses the screen and false afterwards, on any thread. Other code
    ///   must not write to the terminal in between. Nil removes the handler.
    public func setScreenHandler(_ handler: (@Sendable (Bool) -> Void)?) {
        state.withLock { $0.screenHandler = handler }
    }

    /// Shows a line below the frame until the next call. It has no effect without `hasStatusLine`.
    ///
    /// - Parameter text: The text. Control characters are removed. It is not truncated: text beyond the last column
    ///   would wrap.
    public func showStatus(_ text: String) {
        state.withLock { state in
            guard state.status != text else { return }
            state.status = text
            state.isStatusNew = true
        }
        draw()
    }

    /// Checks for a new size of the terminal (SIGWINCH), or whether this process is in the foreground again, and
    /// draws the newest frame if so.
    public func refresh() {
        updateGeometry()
        draw()
    }

    /// Restores the terminal's screen until `resume()`, such as before the process stops (^Z) or exits.
    ///
    /// May be called repeatedly, on any thread. Frames that arrive meanwhile are not shown.
    public func suspend() {
        state.withLock { $0.isSuspended = true }
        restoreScreen(isLast: false)
    }

    /// Enters the screen again and shows the newest frame.
    public func resume() {
        state.withLock { $0.isSuspended = false }
        draw()
    }

    /// The number of frames that were written completely, and the number of frames that were dropped because the
    /// terminal was busy or the screen was not in use.
    public var counters: VideoSinkCounters { state.withLock { $0.counters } }

    private func updateGeometry() {
        let geometry = Self.geometry(line, graphics, hasStatusLine: hasStatusLine)
        let change = state.withLock { state -> (number: Int, handler: (@Sendable (PixelSize) -> Void)?)? in
            guard state.geometry != geometry else { return nil }
            state.geometry = geometry
            state.mustClear = true
            state.sizeChanges += 1
            return (state.sizeChanges, state.sizeHandler)
        }
        guard let change else { return }
        change.handler?(geometry.layerSize(graphics))
        DispatchQueue.global().asyncAfter(deadline: .now() + resizeSettlingTime) { [weak self] in
            self?.redraw(afterChange: change.number)
        }
    }

    /// Draws everything again, unless the size has changed meanwhile.
    private func redraw(afterChange number: Int) {
        let isLast = state.withLock { state in
            guard state.sizeChanges == number else { return false }
            state.mustClear = true
            return true
        }
        if isLast { draw() }
    }
}
