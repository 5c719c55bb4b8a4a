import Dispatch
import Glibc
import Playhead
import Synchronization
import WindowSink

extension PlayOptions {
    /// Makes `auto` what it stands for: a window where standard output is a terminal, somebody looks on, and there is a
    /// display that opens.
    mutating func chooseVideo() async {
        guard video.contains(.automatic) else { return }
        let choice = await automaticVideo()
        hasAutomaticWindow = choice == .window
        video = video.map { $0 == .automatic ? choice : $0 }
    }

    private func automaticVideo() async -> VideoSinkArgument {
        let isDisplayNamed = ["DISPLAY", "WAYLAND_DISPLAY"].contains { (name: String) in
            getenv(name).map { $0.pointee != 0 } ?? false
        }
        guard !isUntimed, isDisplayNamed, isatty(STDOUT_FILENO) == 1 else { return .null }
        do throws(WindowError) {
            try await WindowSink.checkDisplay()
            return .window
        } catch {
            warnOfMissingWindow(error)
            return .null
        }
    }

    func warnOfMissingWindow(_ error: WindowError) {
        if !isQuiet { Console.shared.printError("warning: \(error); pictures are shown to nobody") }
    }
}

extension PlaySession {
    /// Each window's layer is as large as the window, and its keys are those of the terminal.
    func followWindows() {
        for (layer, sink) in zip(layers, outputs.video) {
            guard let window = sink as? WindowSink else { continue }
            window.setEventHandler { [weak self, weak layer, weak window] event in
                switch event {
                case .resized(let size): layer?.size = size
                case .keyPressed(let key): if let key = Key(key) { self?.pressLater(key) }
                case .doubleClicked: window?.isFullscreen.toggle()
                case .closeRequested: self?.pressLater(.quit)
                }
            }
        }
    }

    /// Among the player's events.
    func pressLater(_ key: Key) { player.callbackQueue.async { [weak self] in self?.press(key) } }

    func toggleFullscreen() {
        guard !outputs.windows.isEmpty else { return notice("there is no window") }
        for window in outputs.windows { window.isFullscreen.toggle() }
    }

    /// The current input's name, in the windows' frames.
    func showTitle() {
        guard let index = state.withLock({ $0.current?.index }) else { return }
        let name = options.inputs[index].shortName
        for window in outputs.windows { window.title = name }
    }
}

extension Key {
    /// nil: it does nothing.
    fileprivate init?(_ key: WindowKey) {
        switch key {
        case .left: self = .back
        case .right: self = .forward
        case .down: self = .backMinute
        case .up: self = .forwardMinute
        case .pageDown: self = .backTenMinutes
        case .pageUp: self = .forwardTenMinutes
        case .escape: self = .quit
        case .character(let character):
            guard let key = Key.parse(Array(String(character).utf8)).first else { return nil }
            self = key
        case .home, .end, .enter, .tab, .backspace: return nil
        }
    }
}
