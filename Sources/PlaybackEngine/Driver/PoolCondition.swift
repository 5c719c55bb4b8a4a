internal import Glibc

/// A condition variable on which one thread sleeps.
///
/// `@unchecked Sendable`: the pointer never changes, and POSIX allows any thread to use the condition.
final class PoolCondition: @unchecked Sendable {
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    init() {
        condition = .allocate(capacity: 1)
        condition.initialize(to: pthread_cond_t())
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        condition.deinitialize(count: 1)
        condition.deallocate()
    }

    func signal() { pthread_cond_signal(condition) }

    /// Releases `mutex` and sleeps until `signal` or `deadline` (nanoseconds of `PoolThread.now`). Spurious wake-ups
    /// are possible, so the caller checks its condition again.
    func wait(_ mutex: PoolMutex, until deadline: Int64) {
        guard deadline < .max else {
            pthread_cond_wait(condition, mutex.mutex)
            return
        }
        let (seconds, rest) = max(0, deadline).quotientAndRemainder(dividingBy: 1_000_000_000)
        var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(rest))
        pthread_cond_timedwait(condition, mutex.mutex, &time)
    }
}
