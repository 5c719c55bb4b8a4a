package import MediaCore

/// A report of the loop: what has changed, and when.
package struct PlaybackReport: Sendable {
    package var change: PlaybackChange
    /// The time of the loop's clock at which it happened.
    package var host: HostTime
    /// The item time at which it happened.
    package var itemTime: MediaTime
}
