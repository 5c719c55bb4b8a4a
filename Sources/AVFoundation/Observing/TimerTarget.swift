import MediaCore

/// The object whose method a timer calls, until the timer ends.
final class TimerTarget: Sendable {
    /// `@unchecked Sendable`: the object is only passed to the method, in the thread of the run loop or on the main queue.
    private struct Reference: @unchecked Sendable {
        var object: AnyObject?
    }
    private let reference: Locked<Reference>

    init(_ object: AnyObject) { reference = Locked(Reference(object: object)) }

    var object: AnyObject? { reference.withLock { $0 }.object }

    func release() {
        // The object is released outside the lock, because its deinitializer may invalidate the timer.
        let released = reference.withLock { reference in
            defer { reference.object = nil }
            return reference
        }
        withExtendedLifetime(released) {}
    }
}
