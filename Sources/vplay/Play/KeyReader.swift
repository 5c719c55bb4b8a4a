import Dispatch
import Glibc
import Playhead
import Synchronization

/// Reads keys for as long as it lives, where a person sits at the terminal.
final class KeyReader: Sendable {
    private let source: KeySource

    /// nil without a terminal, and when standard input is being played.
    convenience init?(for session: PlaySession, _ handler: @escaping @Sendable (Key) -> Void) {
        guard TerminalMode.isInteractive, !session.options.inputs.contains(where: \.isStandardInput) else {
            return nil
        }
        let queue = DispatchQueue(label: "vplay.keys", qos: .userInteractive)
        let parser = Mutex((keys: KeyParser(), last: DispatchTime.now()))
        self.init(on: queue) { bytes in
            let keys = parser.withLock { parser in
                let now = DispatchTime.now()
                if now.uptimeNanoseconds - parser.last.uptimeNanoseconds > 100_000_000 {
                    parser.keys.forget()
                }
                parser.last = now
                return parser.keys.take(bytes)
            }
            for key in keys { handler(key) }
        }
    }

    /// `handler` gets what the terminal sends, as it comes, and nothing once the terminal is gone. nil where standard input
    /// is none.
    init?(on queue: DispatchQueue, _ handler: @escaping @Sendable ([UInt8]) -> Void) {
        guard TerminalMode.readKeys() else { return nil }
        let source = KeySource(DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: queue))
        source.start { [weak source] in
            // Whoever reads a terminal from the background is stopped.
            guard TerminalMode.isForeground() else {
                source?.pause()
                return
            }
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = read(STDIN_FILENO, &bytes, bytes.count)
            if count == 0 {
                // The terminal is gone, and would be readable for ever.
                source?.cancel()
                return
            }
            if count > 0 { handler(Array(bytes[..<count])) }
        }
        self.source = source
    }

    /// The terminal may be ours again.
    func refresh() {
        TerminalMode.refresh()
        if TerminalMode.isForeground() { source.goOn() }
    }

    deinit {
        source.goOn()
        source.cancel()
        TerminalMode.restore()
    }
}

/// `@unchecked Sendable`: immutable but for the lock, and dispatch sources may be used from any thread; only
/// their protocol does not say so.
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

    func goOn() {
        isPaused.withLock { isPaused in
            if isPaused { source.resume() }
            isPaused = false
        }
    }

    func cancel() { source.cancel() }
}
