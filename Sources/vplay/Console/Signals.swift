import Dispatch
import Glibc

/// SIGINT and SIGTERM end the command in order; a second one, or an output that hangs, ends it at once.
///
/// Only a command may change what signals do, and this is where it does.
final class Signals: Sendable {
    /// Only held; `sources` is not touched after `init`.
    private let sources: SignalSources

    /// `handler` is called once, on a queue of its own. `patience`: from the first signal until the process ends
    /// whatever its sinks are doing.
    init(
        patience: DispatchTimeInterval = .milliseconds(250),
        _ handler: @escaping @Sendable (ExitStatus) -> Void
    ) {
        // A closed pipe comes back as an error from the write.
        signal(SIGPIPE, SIG_IGN)
        let queue = DispatchQueue(label: "vplay.signals", qos: .userInteractive)
        let first = Once()
        sources = SignalSources(
            [(SIGINT, ExitStatus.interrupted), (SIGTERM, .terminated)].map { number, status in
                signal(number, SIG_IGN)
                let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
                source.setEventHandler {
                    guard first.take() else { status.exitAtOnce() }
                    queue.asyncAfter(deadline: .now() + patience) { status.exitAtOnce() }
                    handler(status)
                }
                source.activate()
                return source
            }
        )
    }
}

/// `@unchecked Sendable`: immutable, and dispatch sources may be used from any thread; only their protocol
/// does not say so.
private final class SignalSources: @unchecked Sendable {
    private let sources: [any DispatchSourceSignal]
    init(_ sources: [any DispatchSourceSignal]) { self.sources = sources }
}
