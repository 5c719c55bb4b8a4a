package import MediaCore

/// Moments at which something of a network is due, on the thread that talks to servers.
package enum NetworkTimer {
    /// Nanoseconds of the machine's clock, as that thread counts them.
    package static var now: Int64 { TransferLoop.now }

    /// Calls `body` in so many nanoseconds; it must not block. Any thread. Throws where the thread cannot be had.
    package static func call(after delay: Int64, _ body: @escaping @Sendable () -> Void) throws(MediaError) {
        try TransferLoop.shared.call(after: delay, body)
    }
}
