internal import CPulse
internal import Glibc
internal import Synchronization

/// A file descriptor that wakes the main loop's thread: at once (`eventfd`), or after a while (`timerfd`).
final class PulseWaker: Sendable {
    private enum Kind { case event, timer }
    private let kind: Kind
    /// Below zero: the process had no descriptor left.
    private let opened = Atomic<Int32>(-1)
    private var descriptor: Int32 { opened.load(ordering: .acquiring) }

    private init(_ kind: Kind) {
        self.kind = kind
        open()
    }

    static func event() -> PulseWaker { PulseWaker(.event) }

    static func timer() -> PulseWaker { PulseWaker(.timer) }

    deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

    /// Opens it where it could not be opened before; one thread at a time. False: the process has no descriptor left.
    @discardableResult
    func open() -> Bool {
        guard descriptor < 0 else { return true }
        let new =
            switch kind {
            case .event: eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
            case .timer: timerfd_create(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK | TFD_CLOEXEC))
            }
        opened.store(new, ordering: .releasing)
        return new >= 0
    }

    /// Of an event. Any thread; never waits.
    func wake() {
        var one: UInt64 = 1
        // It fails only where 2^64 - 2 wakes wait already, or without a descriptor, which is told where it is opened.
        _ = Glibc.write(descriptor, &one, 8)
    }

    /// Of a timer: once, so many milliseconds from now, instead of when it was set for before. nil: not at all.
    func set(milliseconds: Int64?) {
        var time = itimerspec()
        if let milliseconds {
            time.it_value.tv_sec = Int(milliseconds / 1000)
            time.it_value.tv_nsec = Int(milliseconds % 1000) * 1_000_000
        }
        timerfd_settime(descriptor, 0, &time, nil)
    }

    /// Takes back that it has woken. False: it had not, or was set anew since.
    @discardableResult
    func drain() -> Bool {
        var value: UInt64 = 0
        return Glibc.read(descriptor, &value, 8) == 8
    }

    /// The main loop's thread, or its lock. `body` is called with `data` on that thread, until the event is freed.
    func watch(
        _ api: UnsafeMutablePointer<pa_mainloop_api>,
        _ body: @escaping pa_io_event_cb_t,
        _ data: UnsafeMutableRawPointer
    ) -> OpaquePointer? {
        api.pointee.io_new(api, descriptor, PA_IO_EVENT_INPUT, body, data)
    }
}
