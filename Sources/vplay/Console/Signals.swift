import Dispatch
import Glibc
import PlayheadCore

/// Handlers for signals that end the command in order: files are completed and the terminal is restored. Another signal
/// later, or an output that hangs, ends the process immediately.
///
/// Only the command changes the disposition of signals; the library does not.
final class Signals: Sendable {
    /// The signal sources. Dispatch sources may be used from any thread, although their protocol is not declared
    /// `Sendable`.
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]

    /// The time from the first signal during which others are part of the same request. `timeout` sends its signal to
    /// the process and to its group, and systemd may send SIGHUP after SIGTERM.
    private static let requestDuration = DispatchTimeInterval.milliseconds(100)

    /// Handles the signals that end a process.
    ///
    /// - Parameters:
    ///   - gracePeriod: The time from the first signal until the process ends regardless of its sinks.
    ///   - handler: Called once, on a private queue.
    init(
        gracePeriod: DispatchTimeInterval = .milliseconds(250),
        _ handler: @escaping @Sendable (ExitStatus) -> Void
    ) {
        // A write to a closed pipe then returns an error.
        signal(SIGPIPE, SIG_IGN)
        let queue = DispatchQueue(label: "vplay.signals", qos: .userInteractive)
        let first = Locked<DispatchTime?>(nil)
        let ends: [(Int32, ExitStatus)] =
            [(SIGINT, .interrupted), (SIGTERM, .terminated)]
            + [SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU, SIGPWR]
            .filter { !Self.isIgnored($0) }.map { ($0, .signalled($0)) }
        var sources = ends.map { number, status in
            Self.watch(number, on: queue) {
                let now = DispatchTime.now()
                let begin = first.withLock { first -> DispatchTime? in
                    defer { first = first ?? now }
                    return first
                }
                if let begin {
                    if now > begin + Self.requestDuration { status.exitAtOnce() }
                    return
                }
                queue.asyncAfter(deadline: .now() + gracePeriod) { status.exitAtOnce() }
                handler(status)
            }
        }
        // ^\ requests a core dump.
        sources.append(Self.watch(SIGQUIT, on: queue) { Self.die(of: SIGQUIT) })
        Self.begin(sources)
        self.sources = sources
    }

    private init(_ sources: [any DispatchSourceSignal]) {
        Self.begin(sources)
        self.sources = sources
    }

    deinit { for source in sources { source.cancel() } }

    /// Handles ^Z: `stop` is called before the process stops, and `resume` when the shell continues it.
    static func onSuspension(
        _ stop: @escaping @Sendable () -> Void,
        resume: @escaping @Sendable () -> Void
    ) -> Signals {
        let queue = DispatchQueue(label: "vplay.stops", qos: .userInteractive)
        let source = watch(SIGTSTP, on: queue) {
            stop()
            // The signal is sent to this thread, so that it does not continue while the other threads are being
            // stopped.
            pthread_kill(pthread_self(), SIGSTOP)
            resume()
        }
        return Signals([source])
    }

    /// Handles size changes of the terminal window.
    static func onResize(_ handler: @escaping @Sendable () -> Void) -> Signals {
        Signals([watch(SIGWINCH, on: DispatchQueue(label: "vplay.sizes"), handler)])
    }

    /// Activates `sources` and waits, for at most one second, until Dispatch has installed them, which it does
    /// asynchronously after `activate`. Until then a signal has its default effect, or is lost if it is ignored.
    private static func begin(_ sources: [any DispatchSourceSignal]) {
        let registered = DispatchSemaphore(value: 0)
        for source in sources {
            source.setRegistrationHandler { registered.signal() }
            source.activate()
        }
        // Registration takes microseconds unless the system has no thread for Dispatch, which must not block the
        // command.
        let end = DispatchTime.now() + .seconds(1)
        for _ in sources where registered.wait(timeout: end) == .timedOut { break }
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

    /// Returns true if a signal is ignored, for example by `nohup`. It then stays ignored.
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
