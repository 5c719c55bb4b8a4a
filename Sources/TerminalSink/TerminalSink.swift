internal import Foundation
internal import Glibc
public import MediaCore

/// Shows frames in a terminal: pixels where it can show them (kitty, iTerm, sixel), else coloured characters.
///
/// What the terminal can do is read from the environment: `TERM`, `COLORTERM`, the locale and the names that terminals leave
/// there. In tmux it is characters. With the first frame the terminal shows another screen, without a cursor, and gets the
/// one that was there back with `finish`, `suspend` or a failure. Pictures lie in the middle, as large as the window lets
/// them be; a new size of the window is taken up with the next frame, or with `refresh`.
///
/// libchafa is opened with the first sink. No call waits for the terminal, but for a fifth of a second when the screen is given
/// back to one that takes nothing. What a slow line does not take in time is left out and counted, all but the newest
/// frame. No signal is handled here: that is the program's, which calls `suspend`, `resume` and `refresh`.
///
///     let sink = try TerminalSink()
///     let layer = PlayerLayer(player: player, size: sink.layerSize)
///     sink.setSizeHandler { [weak layer] in layer?.size = $0 }
///     layer.add(sink)
public final class TerminalSink: VideoSink {
    struct State {
        var geometry: TerminalGeometry
        /// The newest frame, and whether it waits to be drawn.
        var frame: VideoFrame?
        var isFrameNew = false
        var status = ""
        var isStatusNew = false
        /// What is on the screen is not what we drew, or lies elsewhere.
        var mustClear = false
        /// Where the picture on the screen lies.
        var place: TerminalGeometry.CellRect?
        /// The terminal shows our screen.
        var isEntered = false
        /// Somebody draws, or a picture is half written.
        var isDrawing = false
        var isSuspended = false
        var isFinished = false
        var failure: MediaError?
        var counters = VideoSinkCounters()
        var sizeHandler: (@Sendable (PixelSize) -> Void)?
        var screenHandler: (@Sendable (Bool) -> Void)?
    }

    /// Guards all that changes.
    let state: Locked<State>
    let line: TerminalLine
    let canvas: CellCanvas
    /// How pictures are drawn.
    public let graphics: TerminalGraphics
    private let hasStatusLine: Bool

    /// `terminal`: standard output unless said otherwise; the sink opens it anew. `graphics` nil: what the environment says
    /// the terminal can do. `hasStatusLine`: the last row is kept free for `showStatus`.
    ///
    /// Nothing is written yet. Throws where `terminal` is none, where the environment names none that could place its cursor
    /// (`TERM`), and where libchafa is missing.
    public convenience init(
        terminal: Int32 = 1,
        graphics: TerminalGraphics? = nil,
        hasStatusLine: Bool = false
    ) throws(MediaError) {
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
        library: Result<ChafaLibrary, MediaError> = ChafaLibrary.shared
    ) throws(MediaError) {
        guard isatty(terminal) == 1 else {
            let name = terminal == STDOUT_FILENO ? "standard output" : "descriptor \(terminal)"
            throw MediaError(.sinkFailed, "pictures in a terminal need one, and \(name) is none")
        }
        guard var capabilities = TerminalCapabilities(environment: environment, requested: requested) else {
            let name = environment["TERM"].map { "TERM is \($0)" } ?? "TERM is not set"
            throw MediaError(.sinkFailed, "this terminal cannot show graphics: \(name)")
        }
        let library = try library.get()
        guard let line = TerminalLine(terminal) else {
            throw MediaError(.sinkFailed, "the terminal cannot be opened", underlyingCode: errno)
        }
        let window = Self.geometry(line, capabilities.graphics, hasStatusLine: hasStatusLine)
        // How large sixels become, nobody would know. The other protocols are told cells.
        if requested == nil, capabilities.graphics == .sixel, !window.knowsPixels {
            capabilities.graphics = .symbols
        }
        canvas = try CellCanvas(library, capabilities)
        self.graphics = capabilities.graphics
        self.hasStatusLine = hasStatusLine
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
            // The cursor comes below the picture, and must not scroll it.
            keepsRow: graphics == .sixel || graphics == .iterm
        )
    }

    // MARK: VideoSink

    public var acceptedPixelFormats: [PixelFormat] { [.rgba] }
    public var appliesPreferredTrackTransform: Bool { true }
    public var lateFramePolicy: LateFramePolicy { .newestOnly }

    public func start(_ format: VideoFormat) throws {}

    public func present(_ frame: VideoFrame) throws {
        updateGeometry()
        try state.withLock { state throws(MediaError) in
            if let failure = state.failure { throw failure }
            guard !state.isFinished else { throw MediaError(.sinkFailed, "the screen was given back") }
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

    // MARK: For the program around

    /// Pixels of a layer that fills the terminal. Without it, or with another, a frame is shown all the same, as large as
    /// the terminal lets it be; with it no pixel is converted that is not seen.
    public var layerSize: PixelSize { state.withLock { $0.geometry }.layerSize(graphics) }

    /// `handler` is called with every new `layerSize`, in `present` or `refresh`; nil: nobody is told.
    public func setSizeHandler(_ handler: (@Sendable (PixelSize) -> Void)?) {
        state.withLock { $0.sizeHandler = handler }
    }

    /// `handler` is called with true before the sink takes the screen, and with false when it has given it back; nil: nobody
    /// is told. What else writes to the terminal has to keep away meanwhile.
    public func setScreenHandler(_ handler: (@Sendable (Bool) -> Void)?) {
        state.withLock { $0.screenHandler = handler }
    }

    /// A line below the picture, without what would move the cursor; it stays until the next one. It is not cut: what is
    /// longer than a row would go on in another. Means nothing without `hasStatusLine`.
    public func showStatus(_ text: String) {
        state.withLock { state in
            guard state.status != text else { return }
            state.status = text
            state.isStatusNew = true
        }
        draw()
    }

    /// Looks whether the terminal has another size (SIGWINCH), or is ours again after it was a shell's, and shows the newest
    /// frame again if so.
    public func refresh() {
        updateGeometry()
        draw()
    }

    /// Gives the screen back until `resume`, as before a stop by ^Z, or for the process to end: any number of times, from
    /// any thread. Frames that come meanwhile are not shown.
    public func suspend() {
        state.withLock { $0.isSuspended = true }
        restoreScreen(isLast: false)
    }

    /// Takes the screen again, and shows the newest frame.
    public func resume() {
        state.withLock { $0.isSuspended = false }
        draw()
    }

    /// Frames that were written whole, and frames that were left out because the line was busy or the terminal not ours.
    public var counters: VideoSinkCounters { state.withLock { $0.counters } }

    private func updateGeometry() {
        let geometry = Self.geometry(line, graphics, hasStatusLine: hasStatusLine)
        let (size, handler) = state.withLock { state -> (PixelSize, (@Sendable (PixelSize) -> Void)?) in
            guard state.geometry != geometry else { return (.zero, nil) }
            state.geometry = geometry
            state.mustClear = true
            return (geometry.layerSize(graphics), state.sizeHandler)
        }
        handler?(size)
    }
}
