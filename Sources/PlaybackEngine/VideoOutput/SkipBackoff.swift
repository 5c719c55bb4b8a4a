import MediaCore

/// The delay before more frames are decoded again. It doubles after each failed attempt.
///
/// If the measured load predicts that there is time for all frames, the delay is between 0.5 and 8 s;
/// otherwise, between 2 and 60 s.
struct SkipBackoff {
    private var predictedDelay = Self.minimumPredictedDelay
    private var probingDelay = Self.minimumProbingDelay
    private var lastWasPredicted = false

    private static let minimumPredictedDelay: Int64 = 500_000_000
    private static let maximumPredictedDelay: Int64 = 8_000_000_000
    private static let minimumProbingDelay: Int64 = 2_000_000_000
    private static let maximumProbingDelay: Int64 = 60_000_000_000

    /// Returns whether the delay has elapsed.
    ///
    /// - Parameters:
    ///   - loadPredictsRecovery: Whether the load predicts that there is time for all frames.
    ///   - since: The time since which frames have been on time.
    ///   - now: The current time.
    mutating func hasElapsed(loadPredictsRecovery: Bool, since: HostTime, at now: HostTime) -> Bool {
        let time = loadPredictsRecovery ? predictedDelay : probingDelay
        var wait = time
        if time > (loadPredictsRecovery ? Self.minimumPredictedDelay : Self.minimumProbingDelay) {
            // A pseudo-random extra delay prevents the players of one machine from trying, and failing, at the
            // same time.
            wait += time / 2 * Int64((since.nanoseconds / 1000).magnitude % 1024) / 1024
        }
        guard now.nanoseconds(since: since) >= wait else { return false }
        lastWasPredicted = loadPredictsRecovery
        return true
    }

    /// Doubles the delay after an attempt has failed.
    mutating func failed() {
        if lastWasPredicted {
            predictedDelay = min(Self.maximumPredictedDelay, predictedDelay * 2)
        } else {
            probingDelay = min(Self.maximumProbingDelay, probingDelay * 2)
        }
    }
}
