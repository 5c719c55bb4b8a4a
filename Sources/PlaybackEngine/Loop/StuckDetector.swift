package import MediaCore

/// Detects that playback makes no progress. It is a value: samples and times are passed in.
package struct StuckDetector: Hashable, Sendable {
    /// The time for which playback may make no progress, in nanoseconds, for each reason. No limit applies if a value
    /// is nil.
    package struct Limits: Hashable, Sendable {
        package var loading: Int64?
        package var playing: Int64?
        package var ending: Int64?

        package init(loading: Int64?, playing: Int64?, ending: Int64?) {
            self.loading = loading
            self.playing = playing
            self.ending = ending
        }

        /// The default limits: 600, 10 and 60 seconds.
        package static let standard = Limits(
            loading: 600_000_000_000,
            playing: 10_000_000_000,
            ending: 60_000_000_000
        )

        package subscript(_ stuckReason: StuckReason) -> Int64? {
            switch stuckReason {
            case .loading: loading
            case .playing: playing
            case .ending: ending
            }
        }
    }

    /// A sample of a player that should make progress. A sample that differs from the previous one shows progress.
    package enum ProgressSample: Hashable, Sendable {
        /// The player waits, and `byteCount` bytes have been received.
        case waiting(Epoch, isOpen: Bool, hasFirstFrame: Bool, byteCount: Int64)
        /// The timeline runs and has reached a time. `backlog` is the number of bytes that wait for the decoders.
        case playing(Epoch, pass: Int, at: ItemTime, backlog: Int, isPastEnd: Bool)

        package var stuckReason: StuckReason {
            switch self {
            case .waiting: .loading
            case .playing(_, _, _, _, let isPastEnd): isPastEnd ? .ending : .playing
            }
        }
    }

    package var limits: Limits
    private var lastSample: ProgressSample?
    /// The time since which the samples have been equal.
    private var unchangedSince = HostTime.zero
    private var lastCheck = HostTime.zero

    package init(limits: Limits = .standard) { self.limits = limits }

    /// Checks a sample, and returns the reason and the duration in nanoseconds if playback is stuck. After that the
    /// measurement starts again.
    ///
    /// - Parameters:
    ///   - sample: The current sample, or nil if the player is not expected to make progress.
    ///   - start: The time before which the timeline is stopped on request.
    ///   - now: The current time. A check is required at `nextCheck` at the latest.
    package mutating func check(_ sample: ProgressSample?, notBefore start: HostTime, at now: HostTime) -> (
        StuckReason, Int64
    )? {
        guard let sample, let limit = limits[sample.stuckReason] else {
            lastSample = nil
            return nil
        }
        // A long time without a check means that the machine or the process was suspended.
        let hasSlept = now.nanoseconds(since: lastCheck) > limit / 2
        lastCheck = now
        guard sample == lastSample, !hasSlept else {
            lastSample = sample
            unchangedSince = max(now, start)
            return nil
        }
        let time = now.nanoseconds(since: unchangedSince)
        guard time >= limit else { return nil }
        unchangedSince = now
        return (sample.stuckReason, time)
    }

    /// The time of the next required check, or nil if there is nothing to check.
    package var nextCheck: HostTime? {
        guard let lastSample, let limit = limits[lastSample.stuckReason] else { return nil }
        return min(unchangedSince.advanced(by: limit), lastCheck.advanced(by: max(1, limit / 4)))
    }
}
