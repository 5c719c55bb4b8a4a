internal import CPulse
internal import Glibc

/// A file descriptor that wakes the main loop's thread: at once (`eventfd`), or after a while (`timerfd`).
final class PulseWaker: Sendable {
    /// Below zero: the process has no descriptor left.
    let descriptor: Int32

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    static func event() -> PulseWaker {
        PulseWaker(eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC)))
    }

    static func timer() -> PulseWaker {
        PulseWaker(timerfd_create(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK | TFD_CLOEXEC)))
    }

    deinit { if isUsable { Glibc.close(descriptor) } }

    var isUsable: Bool { descriptor >= 0 }

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
