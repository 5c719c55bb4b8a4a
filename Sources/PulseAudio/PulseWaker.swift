internal import CPulse
internal import Glibc
internal import Synchronization

/// A file descriptor that wakes the main loop's thread: at once (`eventfd`), or after a delay (`timerfd`).
final class PulseWaker: Sendable {
    private enum Kind { case event, timer }
    private let kind: Kind
    /// The file descriptor; negative if the process had none left.
    private let opened = Atomic<Int32>(-1)
    private var descriptor: Int32 { opened.load(ordering: .acquiring) }

    private init(_ kind: Kind) {
        self.kind = kind
        open()
    }

    static func event() -> PulseWaker { PulseWaker(.event) }

    static func timer() -> PulseWaker { PulseWaker(.timer) }

    deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

    /// Opens the file descriptor if that failed before. Called on one thread at a time. Returns false if the process
    /// has none left.
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

    /// Wakes the thread. For events only. May be called on any thread; never blocks.
    func wake() {
        var one: UInt64 = 1
        // The write fails only if 2^64 - 2 wake-ups are pending, or without a descriptor, which `open` reports.
        _ = Glibc.write(descriptor, &one, 8)
    }

    /// Sets the timer to fire once after a delay; nil stops it. For timers only.
    func set(milliseconds: Int64?) {
        var time = itimerspec()
        if let milliseconds {
            time.it_value.tv_sec = Int(milliseconds / 1000)
            time.it_value.tv_nsec = Int(milliseconds % 1000) * 1_000_000
        }
        timerfd_settime(descriptor, 0, &time, nil)
    }

    /// Resets the descriptor after it has woken the thread. Returns false if it had not, or if the timer was set
    /// again since.
    @discardableResult
    func drain() -> Bool {
        var value: UInt64 = 0
        return Glibc.read(descriptor, &value, 8) == 8
    }

    /// Adds the descriptor to the main loop. `body` is called with `data` on the loop's thread until the event is
    /// freed. Called on the loop's thread, or with its lock.
    func watch(
        _ api: UnsafeMutablePointer<pa_mainloop_api>,
        _ body: @escaping pa_io_event_cb_t,
        _ data: UnsafeMutableRawPointer
    ) -> OpaquePointer? {
        api.pointee.io_new(api, descriptor, PA_IO_EVENT_INPUT, body, data)
    }
}
