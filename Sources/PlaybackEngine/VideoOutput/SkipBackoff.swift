import MediaCore

/// How long to wait before more frames are decoded again: longer each time that it failed.
struct SkipBackoff {
    private var predictedDelay = Self.minimumPredictedDelay
    private var probingDelay = Self.minimumProbingDelay
    private var lastWasPredicted = false

    private static let minimumPredictedDelay: Int64 = 500_000_000
    private static let maximumPredictedDelay: Int64 = 8_000_000_000
    private static let minimumProbingDelay: Int64 = 2_000_000_000
    private static let maximumProbingDelay: Int64 = 60_000_000_000

    /// `isPromised`: the load says that there is time for all of them. `since`: frames have been in time.
    mutating func hasElapsed(loadPredictsRecovery: Bool, since: HostTime, at now: HostTime) -> Bool {
        let time = loadPredictsRecovery ? predictedDelay : probingDelay
        var wait = time
        if time > (loadPredictsRecovery ? Self.minimumPredictedDelay : Self.minimumProbingDelay) {
            // Players that share a machine would otherwise try together, and fail together, again and again.
            wait += time / 2 * Int64((since.nanoseconds / 1000).magnitude % 1024) / 1024
        }
        guard now.nanoseconds(since: since) >= wait else { return false }
        lastWasPredicted = loadPredictsRecovery
        return true
    }

    mutating func failed() {
        if lastWasPredicted {
            predictedDelay = min(Self.maximumPredictedDelay, predictedDelay * 2)
        } else {
            probingDelay = min(Self.maximumProbingDelay, probingDelay * 2)
        }
    }
}
