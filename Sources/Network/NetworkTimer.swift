package import MediaCore

/// Timers on the thread of the transfer loop.
package enum NetworkTimer {
    /// The machine's monotonic clock in nanoseconds, as the transfer loop uses it.
    package static var now: Int64 { TransferLoop.shared.now }

    /// Calls `body` on the thread of the transfer loop. Any thread may call this function.
    ///
    /// - Parameters:
    ///   - delay: The delay in nanoseconds.
    ///   - body: The closure, which must not block.
    /// - Throws: `MediaError` if the thread cannot be started.
    package static func call(after delay: Int64, _ body: @escaping @Sendable () -> Void) throws(MediaError) {
        try TransferLoop.shared.call(after: delay, body)
    }
}
