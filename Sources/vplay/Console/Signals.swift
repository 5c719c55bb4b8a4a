import Dispatch
import Glibc

/// Signals that would end the command end it in order: files are finished, the terminal is given back. A second
/// one, or an output that hangs, ends it at once.
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
        let ends: [(Int32, ExitStatus)] =
            [(SIGINT, .interrupted), (SIGTERM, .terminated)]
            + [SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU, SIGPWR]
            .filter { !Self.isIgnored($0) }.map { ($0, .signalled($0)) }
        var sources = ends.map { number, status in
            Self.watch(number, on: queue) {
                guard first.take() else { status.exitAtOnce() }
                queue.asyncAfter(deadline: .now() + patience) { status.exitAtOnce() }
                handler(status)
            }
        }
        // ^\ asks for a core dump.
        sources.append(Self.watch(SIGQUIT, on: queue) { Self.die(of: SIGQUIT) })
        Self.begin(sources)
        self.sources = SignalSources(sources)
    }

    private init(_ sources: [any DispatchSourceSignal]) {
        Self.begin(sources)
        self.sources = SignalSources(sources)
    }

    /// ^Z: `stop` is called before the process stops, and `goOn` when the shell goes on with it.
    static func stops(
        _ stop: @escaping @Sendable () -> Void,
        goOn: @escaping @Sendable () -> Void
    ) -> Signals {
        let queue = DispatchQueue(label: "vplay.stops", qos: .userInteractive)
        let source = watch(SIGTSTP, on: queue) {
            stop()
            // To this thread, so that it does not run on for a moment while the others are being stopped.
            pthread_kill(pthread_self(), SIGSTOP)
            goOn()
        }
        return Signals([source])
    }

    /// Of the terminal's window.
    static func newSizes(_ handler: @escaping @Sendable () -> Void) -> Signals {
        Signals([watch(SIGWINCH, on: DispatchQueue(label: "vplay.sizes"), handler)])
    }

    /// What `sources` watch is theirs once this returns. Dispatch takes a signal over a moment after `activate`, on another
    /// thread; one that comes before that does what it does by default, and one that was ignored until then would be lost.
    private static func begin(_ sources: [any DispatchSourceSignal]) {
        let taken = DispatchSemaphore(value: 0)
        for source in sources {
            source.setRegistrationHandler { taken.signal() }
            source.activate()
        }
        // A matter of microseconds, but where the system has no thread for Dispatch: that holds up nothing else.
        let end = DispatchTime.now() + .seconds(1)
        for _ in sources where taken.wait(timeout: end) == .timedOut { break }
    }

    private static func watch(
        _ number: Int32,
        on queue: DispatchQueue,
        _ handler: @escaping @Sendable () -> Void
    ) -> any DispatchSourceSignal {
        let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
        source.setEventHandler(handler: handler)
        return source
    }

    /// By `nohup`, say: then it stays so.
    private static func isIgnored(_ number: Int32) -> Bool {
        let found = signal(number, SIG_IGN)
        signal(number, found)
        return unsafeBitCast(found, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    private static func die(of number: Int32) {
        TerminalMode.restore()
        signal(number, SIG_DFL)
        var mask = sigset_t()
        sigemptyset(&mask)
        sigaddset(&mask, number)
        pthread_sigmask(SIG_UNBLOCK, &mask, nil)
        raise(number)
    }
}

/// `@unchecked Sendable`: immutable, and dispatch sources may be used from any thread; only their protocol
/// does not say so.
private final class SignalSources: @unchecked Sendable {
    private let sources: [any DispatchSourceSignal]
    init(_ sources: [any DispatchSourceSignal]) { self.sources = sources }
    deinit { for source in sources { source.cancel() } }
}
