import MediaCore

/// Runs closures one at a time, in the order in which they were enqueued.
public protocol Lane: AnyObject, Sendable {
    /// Runs work after everything that was enqueued before. Any thread; returns at once.
    ///
    /// - Parameter work: The closure to run.
    func enqueue(_ work: @escaping @Sendable () -> Void)
}
