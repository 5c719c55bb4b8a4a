import Dispatch
import Glibc
import PlayheadCore
import Synchronization
import WindowSink

extension PlayOptions {
    /// Replaces `auto` by a window if standard output is a terminal, playback is in real time, and a display can be
    /// opened. Otherwise replaces it by null.
    mutating func chooseVideo() async {
        guard video.contains(.automatic) else { return }
        let choice = await automaticVideo()
        lacksDisplay = choice == .null && !isUntimed && isatty(STDOUT_FILENO) == 1
        // A display that the user names is required.
        hasAutomaticWindow = choice == .window && display == nil
        video = video.map { $0 == .automatic ? choice : $0 }
    }

    private func automaticVideo() async -> VideoSinkArgument {
        let isDisplayNamed = ["DISPLAY", "WAYLAND_DISPLAY"].contains { (name: String) in
            getenv(name).map { $0.pointee != 0 } ?? false
        }
        guard !isUntimed, isDisplayNamed, isatty(STDOUT_FILENO) == 1 else { return .null }
        do throws(PlaybackError) {
            try await WindowSink.checkDisplay()
            return .window
        } catch {
            warnOfMissingWindow(error)
            return .null
        }
    }

    /// Prints a warning about a window that could not be opened.
    func warnOfMissingWindow(_ error: PlaybackError) {
        if !isQuiet { Console.shared.printError("warning: \(error): playing without a window") }
    }
}

extension PlaySession {
    /// Connects windows: a layer has the size of its window, and keys in the window act like those of the terminal.
    func followWindows() {
        for (layer, sink) in zip(layers, outputs.video) {
            guard let window = sink as? WindowSink else { continue }
            let wheel = Locked(WheelSteps())
            window.setEventHandler { [weak self, weak layer, weak window] event in
                switch event {
                case .resized(let size): layer?.size = size
                case .keyPressed(.escape) where window?.isFullscreen == true: window?.isFullscreen = false
                case .keyPressed(let key): if let key = Key(key) { self?.pressLater(key) }
                case .doubleClicked: window?.isFullscreen.toggle()
                case .clicked: break
                case .scrolled(_, let y): self?.changeVolumeLater(bySteps: wheel.withLock { $0.add(y) })
                case .closeRequested: self?.pressLater(.quit)
                case .displayLost(let reason): self?.displayLost(reason)
                case .displayRestored: self?.displayRestored()
                }
            }
        }
    }

    /// Performs the action of a key on the callback queue, in order with the player's events.
    func pressLater(_ key: Key) { player.callbackQueue.async { [weak self] in self?.press(key) } }

    private func changeVolumeLater(bySteps count: Int) {
        for _ in 0..<count.magnitude { pressLater(count > 0 ? .louder : .quieter) }
    }

    /// Reports a display that was lost, once for each fault. Playback continues.
    private func displayLost(_ reason: String) {
        let sentence = "display lost: \(reason): frames are discarded until it returns"
        Console.shared.printError(sentence)
        player.callbackQueue.async { [weak self] in self?.control?.log(.error, oneLine(sentence)) }
    }

    private func displayRestored() {
        if !options.isQuiet { Console.shared.printLine("vplay: the display is used again") }
    }

    /// Toggles full screen of all windows.
    func toggleFullscreen() {
        guard !outputs.windows.isEmpty else { return notice("no window") }
        for window in outputs.windows { window.isFullscreen.toggle() }
    }

    /// Shows the name of the input that is played as the title of the windows.
    func showTitle() {
        guard let name = activePlayback?.entry.input.shortName else { return }
        for window in outputs.windows { window.title = name }
    }
}

extension Key {
    /// Creates the action of a key in a window, or returns nil if it has none.
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
