import Dispatch
import FoundationEssentials
import Glibc
import PlayheadCore
import PlayheadPicker
import Synchronization
import TerminalSink

/// An interactive choice on the terminal of standard error. `MediaPicker` implements the selection.
final class PickSession: Sendable {
    private struct State {
        var picker: MediaPicker
        /// The first bytes of an incomplete UTF-8 character.
        var letter: [UInt8] = []
        var posters: [URL: VideoFrame] = [:]
        /// The files with posters, in the order in which the posters were made.
        var postersByAge: [URL] = []
        /// The file whose poster is shown or being generated.
        var poster: URL?
        var posterTask: Task<Void, Never>?
    }

    private let choices: Choices
    private let screen: PanelScreen
    private let state: Mutex<State>
    private let choice = Latch<MediaFile?>()
    private let queue = DispatchQueue(label: "vplay.pick", qos: .userInteractive)

    private static let posterLimit = 50

    /// Runs the session. Returns nil if the user leaves without a choice. The terminal is restored before it returns.
    static func run(_ choices: Choices) async throws -> MediaFile? {
        let screen = try PanelScreen(
            terminal: STDERR_FILENO,
            environment: ProcessInfo.processInfo.environment
        )
        ChoiceScreen.open(screen)
        let session = PickSession(choices, screen)
        let keys = KeyReader(on: session.queue) { [weak session] in session?.receive($0) }
        let terminal = [
            Signals.onResize { [weak session] in session?.resize() },
            Signals.onSuspension {
                TerminalMode.restore()
            } resume: { [weak session, weak keys] in
                _ = TerminalMode.readKeys()
                keys?.refresh()
                screen.resume()
                session?.resize()
            },
        ]
        // A shell continues only stopped processes, so no signal reports the return of a running one to the foreground.
        let timer = DispatchSource.makeTimerSource(queue: session.queue)
        timer.schedule(deadline: .now(), repeating: .milliseconds(100), leeway: .milliseconds(10))
        timer.setEventHandler { [weak keys] in
            keys?.refresh()
            screen.refresh()
        }
        timer.activate()
        defer { timer.cancel() }
        session.resize()
        let chosen = await session.choice.wait()
        session.state.withLock { $0.posterTask }?.cancel()
        screen.finish()
        withExtendedLifetime((keys, terminal)) {}
        TerminalMode.restore()
        return chosen
    }

    private init(_ choices: Choices, _ screen: PanelScreen) {
        self.choices = choices
        self.screen = screen
        state = Mutex(State(picker: MediaPicker(choices.files)))
    }

    // MARK: Keys

    private func receive(_ strokes: [KeyStrokes.Stroke]) {
        handle(state.withLock { state in strokes.compactMap { Self.key(of: $0, &state.letter) } })
    }

    private func handle(_ keys: [MediaPicker.Key]) {
        for key in keys {
            switch state.withLock({ $0.picker.handle(key) }) {
            case .chosen(let file): return choice.open(file)
            case .cancelled: return choice.open(nil)
            case nil: break
            }
        }
        if !keys.isEmpty { show() }
    }

    private static func key(of stroke: KeyStrokes.Stroke, _ letter: inout [UInt8]) -> MediaPicker.Key? {
        guard case .byte(let byte) = stroke else {
            letter = []
            guard case .sequence(let bytes) = stroke else { return .escape }
            return sequences[String(decoding: bytes, as: UTF8.self)]
        }
        switch byte {
        case 0x0A, 0x0D: return .enter
        case 0x09: return .tab
        case 0x08, 0x7F: return .backspace
        // ^P and ^N, as in a shell.
        case 0x10: return .up
        case 0x0E: return .down
        case 0..<0x20: return nil
        default: break
        }
        if byte < 0x80 || byte >= 0xC0 { letter = [] }
        letter.append(byte)
        guard let text = String(validating: letter, as: UTF8.self), let character = text.first else {
            if letter.count >= 4 { letter = [] }
            return nil
        }
        letter = []
        return .character(character)
    }

    private static let sequences: [String: MediaPicker.Key] = [
        "[A": .up, "OA": .up, "[B": .down, "OB": .down, "[5~": .pageUp, "[6~": .pageDown,
        "[H": .home, "OH": .home, "[1~": .home, "[7~": .home, "[F": .end, "OF": .end, "[4~": .end,
        "[8~": .end,
    ]

    // MARK: Display

    private func resize() {
        let rows = screen.size.rows - 1
        state.withLock { $0.picker.rowCount = rows }
        screen.redraw()
        show()
    }

    private func show() {
        let width = screen.size.textColumns
        let (content, isNew) = state.withLock { state -> (PanelScreen.Content, Bool) in
            let picker = state.picker
            var content = PanelScreen.Content()
            content.lines = picker.visible.map { Self.row(picker.shown[$0].name, width) }
            content.selected = picker.index.map { $0 - picker.visible.lowerBound }
            content.status = Self.status(of: picker).cut(toColumns: screen.size.columns - 1)
            let url = picker.selected?.url
            content.image = url.flatMap { state.posters[$0] }
            defer { state.poster = url }
            return (content, state.poster != url)
        }
        screen.show(content, imageDidChange: isNew)
        if isNew { makePoster() }
    }

    /// Returns a row padded to the width of the column, so that it overwrites the previous row.
    private static func row(_ name: String, _ width: Int) -> String {
        let text = " " + name.cut(toColumns: max(1, width - 2))
        return text + String(repeating: " ", count: max(0, width - text.columnCount))
    }

    private static func status(of picker: MediaPicker) -> String {
        let position = "\(picker.index.map { $0 + 1 } ?? 0)/\(picker.shown.count)"
        let kind = picker.kind.map { "\($0.rawValue) only" } ?? picker.selected?.kind.rawValue ?? "nothing"
        return picker.isTyping
            ? " /\(picker.filter)  \(position)  \(kind)"
            : " \(position)  \(kind)   Enter chooses, / filters, Tab kinds, q leaves"
    }

    // MARK: Posters

    private func makePoster() {
        guard screen.canShowImages, screen.size.textColumns < screen.size.columns else { return }
        let url = state.withLock { state -> URL? in
            state.posterTask?.cancel()
            state.posterTask = nil
            return state.poster.flatMap { state.posters[$0] == nil ? $0 : nil }
        }
        guard let url, let input = choices.inputs[url] else { return }
        let posterTask = Task { [weak self, choices, size = screen.imageSize] in
            do {
                // While the user moves quickly through the list, no posters are generated.
                try await Task.sleep(for: .milliseconds(40))
                let generator = ImageGenerator(asset: input.asset(network: choices.network))
                generator.maximumSize = size
                generator.appliesPreferredTrackTransform = true
                generator.pixelFormat = .rgba
                let poster = try await generator.poster().frame
                self?.store(poster, for: url)
            } catch {
                // No poster is shown: the selection has changed, or the file has no video. Playing a broken file
                // reports the error.
            }
        }
        state.withLock { $0.posterTask = posterTask }
    }

    private func store(_ poster: VideoFrame, for url: URL) {
        let isShown = state.withLock { state in
            if state.postersByAge.count >= Self.posterLimit {
                state.posters[state.postersByAge.removeFirst()] = nil
            }
            state.posters[url] = poster
            state.postersByAge.append(url)
            // `show` treats the file as newly selected and draws its poster.
            if state.poster == url { state.poster = nil }
            return state.picker.selected?.url == url
        }
        if isShown { queue.async { [weak self] in self?.show() } }
    }
}

/// The screen of the picker. It must be restored before the process ends in any way.
enum ChoiceScreen {
    private static let screen = Mutex<PanelScreen?>(nil)

    static func open(_ newScreen: PanelScreen) { screen.withLock { $0 = newScreen } }

    /// Restores the terminal until the screen is shown again. May be called repeatedly and from any thread.
    static func restore() { screen.withLock { $0 }?.suspend() }
}
