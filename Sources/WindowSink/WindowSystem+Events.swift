internal import CSDL
internal import Dispatch
internal import MediaCore

extension WindowSystem {
    func handle(_ event: ph_sdl_event, at now: DispatchTime) {
        let isAfterCloseRequest = hasCloseRequest
        // The thread may be woken between the two events of one request.
        if Int(event.type) != PH_SDL_USEREVENT {
            hasCloseRequest =
                Int(event.type) == PH_SDL_WINDOWEVENT
                && Int(event.window.event) == PH_SDL_WINDOWEVENT_CLOSE
        }
        switch Int(event.type) {
        // Only a window system that has ended requests this: signals are not handled, and the last window does not.
        // Before SDL 2.0.22, which has the hint for that, it follows the request to close the only window.
        case PH_SDL_QUIT: if !isAfterCloseRequest { lossReason = "the window system has ended" }
        case PH_SDL_DISPLAYEVENT:
            let isConnection =
                Int(event.display.event) == PH_SDL_DISPLAYEVENT_CONNECTED
                || Int(event.display.event) == PH_SDL_DISPLAYEVENT_DISCONNECTED
            if isConnection { displaysChanged(at: now) }
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
            for window in Array(windows.values) {
                do throws(PlaybackError) { try window.restore() } catch { fail(window, error, at: now) }
            }
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
