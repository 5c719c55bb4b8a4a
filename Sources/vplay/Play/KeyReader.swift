import Dispatch
import Glibc
import PlayheadCore
import Synchronization

/// Reads keys from an interactive terminal until it is deallocated.
final class KeyReader: Sendable {
    private let queue: DispatchQueue
    /// Dispatch sources may be used from any thread, although their protocol is not declared `Sendable`.
    private nonisolated(unsafe) let source: any DispatchSourceRead
    private let isPaused = Mutex(false)
    private let parser = Mutex((strokes: KeyStrokes(), last: DispatchTime.now()))
    private let handler: @Sendable ([KeyStrokes.Stroke]) -> Void

    /// The time after which an escape without further bytes is the Escape key, and an incomplete sequence is discarded.
    private static let escapeTimeout = DispatchTimeInterval.milliseconds(100)

    /// Reads keys for a session. Returns nil if there is no terminal or if standard input is an input.
    convenience init?(for session: PlaySession, _ handler: @escaping @Sendable (Key) -> Void) {
        guard TerminalMode.hasPlaybackKeys, !session.options.inputs.contains(where: \.isStandardInput) else {
            return nil
        }
        self.init(on: DispatchQueue(label: "vplay.keys", qos: .userInteractive)) { strokes in
            for key in strokes.compactMap(Key.init) { handler(key) }
        }
    }

    /// Passes the keys of each read of the terminal to `handler`, on `queue`, until the terminal is closed. Returns nil
    /// if standard input is not a terminal.
    init?(on queue: DispatchQueue, _ handler: @escaping @Sendable ([KeyStrokes.Stroke]) -> Void) {
        guard TerminalMode.readKeys() else { return nil }
        self.queue = queue
        self.handler = handler
        source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: queue)
        source.setEventHandler { [weak self] in self?.read() }
        source.activate()
    }

    private func read() {
        // The system stops a background process that reads from its terminal.
        guard TerminalMode.isForeground() else { return setPaused(true) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = Glibc.read(STDIN_FILENO, &bytes, bytes.count)
        // A closed terminal stays readable indefinitely.
        if count == 0 { source.cancel() }
        if count > 0 { receive(Array(bytes[..<count])) }
    }

    private func receive(_ bytes: [UInt8]) {
        let now = DispatchTime.now()
        let (strokes, endsWithEscape) = parser.withLock { parser in
            // A pending escape is resolved by the timer below.
            if now > parser.last + Self.escapeTimeout, !parser.strokes.endsWithEscape {
                parser.strokes.discardPending()
            }
            parser.last = now
            return (parser.strokes.parse(bytes), parser.strokes.endsWithEscape)
        }
        handler(strokes)
        guard endsWithEscape else { return }
        queue.asyncAfter(deadline: .now() + Self.escapeTimeout) { [weak self] in
            // The rest of a sequence may have arrived while the process was not running.
            guard let self, !Self.hasInput else { return }
            // After further bytes this is the timer of an earlier escape.
            let escape = parser.withLock { $0.last == now ? $0.strokes.parseLoneEscape() : nil }
            if let escape { handler([escape]) }
        }
    }

    /// Whether bytes can be read from the terminal without waiting.
    private static var hasInput: Bool {
        var polled = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        return poll(&polled, 1, 0) > 0
    }

    /// Resumes reading if the process is in the foreground again.
    func refresh() {
        TerminalMode.refresh()
        if TerminalMode.isForeground() { setPaused(false) }
    }

    private func setPaused(_ newValue: Bool) {
        isPaused.withLock { isPaused in
            guard isPaused != newValue else { return }
            isPaused = newValue
            if newValue { source.suspend() } else { source.resume() }
        }
    }

    deinit {
        // A suspended source must not be released.
        setPaused(false)
        source.cancel()
        TerminalMode.restore()
    }
}
