internal import CSDL
internal import Dispatch
internal import Glibc
internal import MediaCore

/// SDL's display with its windows. Confined to `WindowThread`.
final class WindowSystem {
    let sdl: SDLLibrary
    var windows: [UInt32: Window] = [:]
    var isStarted = false
    /// Whether the display is a screen without a window system.
    var isDirect = false
    let connectors: DisplayConnectors
    /// The connectors with a screen when they were last read, and the time of the next reading. SDL does not report
    /// changes of screens without a window system.
    var connected: Set<String> = []
    var nextConnectorCheck = DispatchTime.now()
    /// The windows whose display was lost.
    var lostWindows: [LostWindow] = []
    var retry = DisplayRetry()
    /// Why the whole display must be closed, or nil.
    var lossReason: String?
    /// Whether the last event was a request to close a window, and others are pending.
    var hasCloseRequest = false
    /// The closures to call once the windows that were closed have disappeared.
    var closedHandlers: [@Sendable () -> Void] = []
    /// The time until which the screen saver is inhibited; nil if it is not.
    private var screenSaverInhibitedUntil: DispatchTime?

    /// The time for which a frame inhibits the screen saver: longer than the interval between two frames of a playing
    /// video.
    private static let screenSaverInhibitionTime = DispatchTimeInterval.seconds(3)
    /// The interval in which connectors are read.
    static let connectorCheckInterval = DispatchTimeInterval.seconds(2)

    /// A window whose display was lost, and the frame to show when it returns.
    struct LostWindow {
        let content: WindowContent
        let size: PixelSize
        var frame: VideoFrame?
    }

    init(_ sdl: SDLLibrary, connectors: DisplayConnectors = DisplayConnectors()) {
        self.sdl = sdl
        self.connectors = connectors
    }

    var functions: ph_sdl { sdl.functions.pointee }

    var hasWindows: Bool { !windows.isEmpty }

    // MARK: The display

    /// Opens the display if it is not open.
    func start(applicationName: String?) throws(PlaybackError) {
        guard !isStarted else { return }
        // Signals, and the end of the process, are left to the application.
        set(PH_SDL_HINT_NO_SIGNAL_HANDLERS, "1")
        set(PH_SDL_HINT_QUIT_ON_LAST_WINDOW_CLOSE, "0")
        // The screen saver is inhibited while frames arrive, not as long as a window exists.
        set(PH_SDL_HINT_VIDEO_ALLOW_SCREENSAVER, "1")
        // Uses memory that is shared with the X server; see `Window.makeRenderer`.
        set(PH_SDL_HINT_FRAMEBUFFER_ACCELERATION, "0")
        // An ordinary window, not a full-screen game.
        set(PH_SDL_HINT_BYPASS_COMPOSITOR, "0")
        set(PH_SDL_HINT_VIDEO_MINIMIZE_ON_FOCUS_LOSS, "0")
        if let applicationName { set(PH_SDL_HINT_APP_NAME, applicationName) }
        // Drivers without a display make libraries write to standard error, and SDL would fall back to a display that
        // is not visible.
        let drivers = DisplayDrivers.names({ getenv($0).map { String(cString: $0) } }, connectors)
        if drivers.isEmpty {
            throw .cannotOpenWindow(
                "no display (neither DISPLAY nor WAYLAND_DISPLAY is set, and no screen is connected)"
            )
        }
        set(PH_SDL_HINT_VIDEODRIVER, drivers)
        guard functions.InitSubSystem(UInt32(PH_SDL_INIT_VIDEO)) == 0 else {
            throw .cannotOpenWindow("the display cannot be opened (\(sdl.lastError))")
        }
        isStarted = true
        let driver = functions.GetCurrentVideoDriver().map { String(cString: $0) } ?? ""
        isDirect = driver.lowercased() == DisplayDrivers.direct
        connected = isDirect ? connectors.connected : []
        // Delivers keys as characters of the user's keyboard layout.
        functions.StartTextInput()
    }

    /// Sets a hint, unless the environment sets it: SDL gives the environment priority.
    private func set(_ hint: String, _ value: String) { _ = functions.SetHint(hint, value) }

    /// Closes the display if no window is open.
    func shutDown() {
        guard isStarted, windows.isEmpty else { return }
        isStarted = false
        isDirect = false
        screenSaverInhibitedUntil = nil
        functions.QuitSubSystem(UInt32(PH_SDL_INIT_VIDEO))
    }

    // MARK: Windows

    func open(_ content: WindowContent, for size: PixelSize, at now: DispatchTime = .now())
        throws(PlaybackError)
    {
        try start(applicationName: content.applicationName)
        let window = try Window(sdl, content, for: size, isDirect: isDirect)
        windows[window.identifier] = window
        do throws(PlaybackError) { try window.applyChanges() } catch { fail(window, error, at: now) }
    }

    func window(of content: WindowContent) -> Window? {
        windows.values.first { $0.content === content }
    }

    func close(_ content: WindowContent) {
        lostWindows.removeAll { $0.content === content }
        if lostWindows.isEmpty { retry.succeed() }
        guard let window = window(of: content) else { return }
        windows[window.identifier] = nil
        closedHandlers += window.destroy()
        if windows.isEmpty { allowScreenSaver() }
    }

    /// Calls `handler` when the window has disappeared from the screen: at once if there is none.
    func whenClosed(_ content: WindowContent, _ handler: @escaping @Sendable () -> Void) {
        if let window = window(of: content) {
            window.onDestroy(handler)
        } else {
            closedHandlers.append(handler)
        }
    }

    /// Calls the handlers of windows that have disappeared.
    func finishClosing() {
        let handlers = closedHandlers
        closedHandlers = []
        for handler in handlers { handler() }
    }

    /// Shows the newest frame of a window. A frame for a lost display replaces the one to show when it returns.
    func show(_ content: WindowContent, at now: DispatchTime) {
        guard let frame = content.dequeueFrame() else { return }
        if let window = window(of: content) { return show(frame, in: window, at: now) }
        guard let index = lostWindows.firstIndex(where: { $0.content === content }) else { return }
        lostWindows[index].frame = frame
        content.recordDrop()
    }

    func show(_ frame: VideoFrame, in window: Window, at now: DispatchTime) {
        do throws(PlaybackError) {
            try window.show(frame)
            window.content.recordDelivery()
            window.content.reportReturn()
            inhibitScreenSaver()
        } catch { fail(window, error, at: now) }
    }

    /// Inhibits the screen saver after a frame was shown.
    func inhibitScreenSaver() {
        if screenSaverInhibitedUntil == nil { functions.DisableScreenSaver() }
        screenSaverInhibitedUntil = .now() + Self.screenSaverInhibitionTime
    }

    private func allowScreenSaver() {
        screenSaverInhibitedUntil = nil
        functions.EnableScreenSaver()
    }

    // MARK: Events

    /// Blocks until an event arrives, and handles all pending ones.
    func waitForEvents() {
        var event = ph_sdl_event()
        let now = DispatchTime.now()
        let deadlines = [screenSaverInhibitedUntil, nextAttempt, isDirect ? nextConnectorCheck : nil]
        let timeout = deadlines.compactMap(\.self).min().map { deadline in
            Int32(clamping: (max(deadline, now).uptimeNanoseconds - now.uptimeNanoseconds) / 1_000_000 + 1)
        }
        if ph_sdl_wait(sdl.functions, &event, timeout ?? -1) == 1 { handle(event, at: .now()) }
        processPendingEvents(at: .now())
        updateScreenSaver(at: .now())
        checkConnectors(at: .now())
    }

    /// Handles all pending events.
    func processPendingEvents(at now: DispatchTime = .now()) {
        var event = ph_sdl_event()
        while lossReason == nil, ph_sdl_wait(sdl.functions, &event, 0) == 1 { handle(event, at: now) }
        // The two events of one request are appended at once, so the second one has been handled, too.
        hasCloseRequest = false
        guard lossReason == nil else { return }
        for window in Array(windows.values) {
            do throws(PlaybackError) { try window.applyChanges() } catch { fail(window, error, at: now) }
        }
    }

    /// Permits the screen saver if no frame has arrived for a while.
    func updateScreenSaver(at now: DispatchTime) {
        if let screenSaverInhibitedUntil, screenSaverInhibitedUntil <= now { allowScreenSaver() }
    }
}
