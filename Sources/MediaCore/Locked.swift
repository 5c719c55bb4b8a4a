internal import Glibc

/// A value behind a POSIX mutex.
///
/// Not `Synchronization.Mutex`: that hands a contended lock over inside the kernel, where the thread sanitizer
/// cannot see it, and it then reports races that are none (Swift 6.3 on Linux). With this one it can be
/// believed.
///
/// `@unchecked Sendable`: `value` is guarded by `mutex`, and nothing else changes.
@usableFromInline
package final class Locked<Value>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    /// Guarded by `mutex`.
    @usableFromInline var value: Value

    package init(_ value: sending Value) {
        self.value = value
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deinitialize(count: 1)
        mutex.deallocate()
    }

    /// Calls `body` with the value, which nobody else sees meanwhile. Not to be entered twice by one thread.
    ///
    /// Inlinable: a caller in another module would else copy the value through its type's metadata.
    @inlinable
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock()
        defer { unlock() }
        return try body(&value)
    }

    @usableFromInline func lock() { pthread_mutex_lock(mutex) }
    @usableFromInline func unlock() { pthread_mutex_unlock(mutex) }
}
