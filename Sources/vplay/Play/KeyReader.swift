import Dispatch
import Glibc
import Playhead
import Synchronization

/// Reads keys from an interactive terminal until it is deallocated.
final class KeyReader: Sendable {
    private let source: KeySource

    /// The time after which an escape without further bytes is the Escape key, and an incomplete sequence is discarded.
    private static let escapeTimeout = DispatchTimeInterval.milliseconds(100)

    /// Reads keys for a session. Returns nil if there is no terminal or if standard input is an input.
    convenience init?(for session: PlaySession, _ handler: @escaping @Sendable (Key) -> Void) {
        guard TerminalMode.isInteractive, !session.options.inputs.contains(where: \.isStandardInput) else {
            return nil
        }
        let escapeTimeout = Self.escapeTimeout
        let queue = DispatchQueue(label: "vplay.keys", qos: .userInteractive)
        let parser = Mutex((keys: KeyParser(), last: DispatchTime.now()))
        self.init(on: queue) { bytes in
            let now = DispatchTime.now()
            let (keys, endsWithEscape) = parser.withLock { parser in
                // A pending escape is resolved by the timer below.
                if now > parser.last + escapeTimeout, !parser.keys.endsWithEscape {
                    parser.keys.discardPending()
                }
                parser.last = now
                let keys = parser.keys.parse(bytes)
                return (keys, parser.keys.endsWithEscape)
            }
            for key in keys { handler(key) }
            guard endsWithEscape else { return }
            queue.asyncAfter(deadline: .now() + escapeTimeout) {
                // The rest of a sequence may have arrived while the process was not running.
                guard !Self.hasInput else { return }
                // After further bytes this is the timer of an earlier escape.
                let key = parser.withLock { $0.last == now ? $0.keys.parseLoneEscape() : nil }
                if let key { handler(key) }
            }
        }
    }

    /// Whether bytes can be read from the terminal without waiting.
    static var hasInput: Bool {
        var polled = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        return poll(&polled, 1, 0) > 0
    }

    /// Passes the bytes of the terminal to `handler` until the terminal is closed. Returns nil if standard input is not
    /// a terminal.
    init?(on queue: DispatchQueue, _ handler: @escaping @Sendable ([UInt8]) -> Void) {
        guard TerminalMode.readKeys() else { return nil }
        let source = KeySource(DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: queue))
        source.start { [weak source] in
            // The system stops a background process that reads from its terminal.
            guard TerminalMode.isForeground() else {
                source?.pause()
                return
            }
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = read(STDIN_FILENO, &bytes, bytes.count)
            if count == 0 {
                // A closed terminal stays readable indefinitely.
                source?.cancel()
                return
            }
            if count > 0 { handler(Array(bytes[..<count])) }
        }
        self.source = source
    }

    /// Resumes reading if the process is in the foreground again.
    func refresh() {
        TerminalMode.refresh()
        if TerminalMode.isForeground() { source.resume() }
    }

    deinit {
        source.resume()
        source.cancel()
        TerminalMode.restore()
    }
}

/// `@unchecked Sendable`: the mutable state has a lock, and dispatch sources may be used from any thread, although
/// their protocol is not declared `Sendable`.
private final class KeySource: @unchecked Sendable {
    private let source: any DispatchSourceRead
    private let isPaused = Mutex(false)

    init(_ source: any DispatchSourceRead) { self.source = source }

    func start(_ handler: @escaping @Sendable () -> Void) {
        source.setEventHandler(handler: handler)
        source.activate()
    }

    func pause() {
        isPaused.withLock { isPaused in
            if !isPaused { source.suspend() }
            isPaused = true
        }
    }

    func resume() {
        isPaused.withLock { isPaused in
            if isPaused { source.resume() }
            isPaused = false
        }
    }

    func cancel() { source.cancel() }
}
