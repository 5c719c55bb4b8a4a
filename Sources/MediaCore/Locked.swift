internal import Glibc

/// A value protected by a POSIX mutex.
///
/// It replaces `Synchronization.Mutex`, which hands a contended lock over inside the kernel. The thread sanitizer
/// cannot observe that, so it reports races that do not exist (Swift 6.3 on Linux).
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

    /// Calls `body` with exclusive access to the value. A thread must not call it again from inside `body`.
    ///
    /// It is inlinable, because a caller in another module would otherwise copy the value through its type's
    /// metadata.
    @inlinable
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock()
        defer { unlock() }
        return try body(&value)
    }

    /// Sets a member of the value, such as a handler of the caller. The former one is released outside the lock, because
    /// an object that it retains may use the owner of the value when it is released.
    package func set<Member>(_ member: WritableKeyPath<Value, Member>, to new: Member) {
        let former = withLock { value in
            defer { value[keyPath: member] = new }
            return value[keyPath: member]
        }
        withExtendedLifetime(former) {}
    }

    @usableFromInline func lock() { pthread_mutex_lock(mutex) }
    @usableFromInline func unlock() { pthread_mutex_unlock(mutex) }
}
