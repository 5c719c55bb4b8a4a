internal import CSDL
internal import Dispatch
internal import Glibc
internal import MediaCore

/// SDL's display with its windows. Confined to `WindowThread`.
final class WindowSystem {
    let sdl: SDLLibrary
    private var windows: [UInt32: Window] = [:]
    private var isStarted = false
    /// The time until which the screen saver is inhibited; nil if it is not.
    private var screenSaverInhibitedUntil: DispatchTime?

    /// The time for which a frame inhibits the screen saver: longer than the interval between two frames of a playing
    /// video.
    private static let screenSaverInhibitionTime = DispatchTimeInterval.seconds(3)

    init(_ sdl: SDLLibrary) { self.sdl = sdl }

    private var functions: ph_sdl { sdl.functions.pointee }

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
        let drivers = Self.drivers
        if drivers.isEmpty {
            throw .cannotOpenWindow("no display (neither DISPLAY nor WAYLAND_DISPLAY is set)")
        }
        set(PH_SDL_HINT_VIDEODRIVER, drivers)
        guard functions.InitSubSystem(UInt32(PH_SDL_INIT_VIDEO)) == 0 else {
            throw .cannotOpenWindow("the display cannot be opened (\(sdl.lastError))")
        }
        isStarted = true
        // Delivers keys as characters of the user's keyboard layout.
        functions.StartTextInput()
    }

    /// SDL's names of the drivers for the displays in the environment, or the drivers that the environment selects
    /// for SDL.
    private static var drivers: String {
        func value(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        }
        if let chosen = value("SDL_VIDEODRIVER") { return chosen }
        let drivers = [("DISPLAY", "x11"), ("WAYLAND_DISPLAY", "wayland")]
        return drivers.filter { value($0.0) != nil }.map(\.1).joined(separator: ",")
    }

    /// Sets a hint, unless the environment sets it: SDL gives the environment priority.
    private func set(_ hint: String, _ value: String) { _ = functions.SetHint(hint, value) }

    /// Closes the display if no window is open.
    func shutDown() {
        guard isStarted, windows.isEmpty else { return }
        isStarted = false
        functions.QuitSubSystem(UInt32(PH_SDL_INIT_VIDEO))
    }

    // MARK: Windows

    func open(_ content: WindowContent, for size: PixelSize) throws(PlaybackError) {
        try start(applicationName: content.applicationName)
        let window = try Window(sdl, content, for: size)
        windows[window.identifier] = window
        window.applyChanges()
    }

    func window(of content: WindowContent) -> Window? {
        windows.values.first { $0.content === content }
    }

    func close(_ content: WindowContent) {
        guard let window = window(of: content) else { return }
        windows[window.identifier] = nil
        window.destroy()
        if windows.isEmpty { allowScreenSaver() }
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
        var timeout: Int32 = -1
        if let screenSaverInhibitedUntil {
            let now = DispatchTime.now()
            let left =
                screenSaverInhibitedUntil.uptimeNanoseconds
                - min(screenSaverInhibitedUntil.uptimeNanoseconds, now.uptimeNanoseconds)
            timeout = Int32(clamping: left / 1_000_000 + 1)
        }
        if ph_sdl_wait(sdl.functions, &event, timeout) == 1 { handle(event) }
        processPendingEvents()
        updateScreenSaver(at: .now())
    }

    /// Handles all pending events.
    func processPendingEvents() {
        var event = ph_sdl_event()
        while ph_sdl_wait(sdl.functions, &event, 0) == 1 { handle(event) }
        for window in windows.values { window.applyChanges() }
    }

    /// Permits the screen saver if no frame has arrived for a while.
    func updateScreenSaver(at now: DispatchTime) {
        if let screenSaverInhibitedUntil, screenSaverInhibitedUntil <= now { allowScreenSaver() }
    }

    private func handle(_ event: ph_sdl_event) {
        switch Int(event.type) {
        case PH_SDL_WINDOWEVENT: windows[event.window.windowID]?.handle(change: Int(event.window.event))
        case PH_SDL_KEYDOWN:
            if let key = WindowKey(symbol: Int(event.key.sym)) {
                deliver(.keyPressed(key), event.key.windowID)
            }
        case PH_SDL_TEXTINPUT:
            let typed = withUnsafeBytes(of: event.text.text) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            for character in typed {
                deliver(.keyPressed(.character(character)), event.text.windowID)
            }
        case PH_SDL_MOUSEBUTTONDOWN:
            guard event.button.button == PH_SDL_BUTTON_LEFT else { break }
            if event.button.clicks == 2 { return deliver(.doubleClicked, event.button.windowID) }
            guard let window = windows[event.button.windowID] else { break }
            let (x, y) = window.pixels(Int(event.button.x), Int(event.button.y))
            window.content.deliver(.clicked(x: x, y: y))
        case PH_SDL_MOUSEWHEEL:
            let wheel = event.wheel
            let isPrecise = wheel.preciseX != 0 || wheel.preciseY != 0
            let (x, y) =
                isPrecise
                ? (Double(wheel.preciseX), Double(wheel.preciseY)) : (Double(wheel.x), Double(wheel.y))
            deliver(.scrolled(x: x, y: y), wheel.windowID)
        case PH_SDL_RENDER_TARGETS_RESET, PH_SDL_RENDER_DEVICE_RESET:
            for window in windows.values { window.restore() }
        default: break
        }
    }

    /// Delivers an event to a window. A key may arrive before a window is known to have the focus; a single window
    /// then receives it.
    private func deliver(_ event: WindowEvent, _ identifier: UInt32) {
        let only = windows.count == 1 ? windows.first?.value : nil
        (windows[identifier] ?? only)?.content.deliver(event)
    }
}

extension WindowKey {
    /// Creates a key that types no character. Returns nil for other keys.
    fileprivate init?(symbol: Int) {
        switch symbol {
        case PH_SDLK_LEFT: self = .left
        case PH_SDLK_RIGHT: self = .right
        case PH_SDLK_UP: self = .up
        case PH_SDLK_DOWN: self = .down
        case PH_SDLK_PAGEUP: self = .pageUp
        case PH_SDLK_PAGEDOWN: self = .pageDown
        case PH_SDLK_HOME: self = .home
        case PH_SDLK_END: self = .end
        case PH_SDLK_ESCAPE: self = .escape
        case PH_SDLK_RETURN: self = .enter
        case PH_SDLK_TAB: self = .tab
        case PH_SDLK_BACKSPACE: self = .backspace
        default: return nil
        }
    }
}
