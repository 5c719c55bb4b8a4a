import PlayheadCore

/// Decides whether playback advances, or is meant to be still. A value without clocks: times are passed in.
struct ProgressMonitor: Sendable {
    /// What is known about playback at a moment.
    struct Sample: Sendable {
        enum Activity: Hashable, Sendable {
            /// Nothing is loaded, or playback is paused or has ended.
            case still
            /// Frames or samples must advance.
            case playing
            /// Playback waits for data.
            case waiting
        }
        var activity: Activity
        /// The number of frames that were delivered to layers.
        var frames: Int
        /// The position in the item.
        var position: MediaTime
        /// Whether frames must arrive several times a second. False for audio and still images, where the position counts.
        var hasMovingVideo: Bool
    }

    /// How long nothing may advance while playing.
    static let playingLimit = Duration.seconds(10)
    /// How long playback may wait for data. It is longer than the attempts of a network source.
    static let waitingLimit = Duration.seconds(60)

    private var last: Sample?
    private var lastProgress = Duration.zero

    /// Adds a sample.
    ///
    /// - Parameters:
    ///   - sample: The state of playback.
    ///   - now: The time since any origin.
    /// - Returns: The reason for which playback is not healthy, or nil.
    mutating func update(_ sample: Sample, at now: Duration) -> String? {
        defer { last = sample }
        guard let last, sample.activity != .still, last.activity != .still else {
            lastProgress = now
            return nil
        }
        let hasAdvanced =
            sample.hasMovingVideo ? sample.frames != last.frames : sample.position != last.position
        if hasAdvanced, sample.activity == .playing {
            lastProgress = now
            return nil
        }
        let limit = sample.activity == .playing ? Self.playingLimit : Self.waitingLimit
        let elapsed = now - lastProgress
        guard elapsed > limit else { return nil }
        let seconds = elapsed.components.seconds
        return sample.activity == .waiting
            ? "waiting for data for \(seconds) s"
            : "no \(sample.hasMovingVideo ? "frame" : "progress") for \(seconds) s"
    }
}
