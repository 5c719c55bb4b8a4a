public import Foundation
import MediaCore

/// Settings of Apple's platforms. They are stored and copied with the item, and have no effect here.
extension AVPlayerItem {
    /// The settings that are stored and have no effect.
    struct Settings: Sendable {
        var usesNetworkWhilePaused = false
        var expensivePeakBitRate = 0.0
        var expensiveMaximumResolution = CGSize.zero
    }

    /// A Boolean value that indicates whether live media may be kept up to date while it is paused. Has no effect.
    nonisolated public var canUseNetworkResourcesForLiveStreamingWhilePaused: Bool {
        get { settings.withLock { $0.usesNetworkWhilePaused } }
        set { settings.withLock { $0.usesNetworkWhilePaused = newValue } }
    }

    /// The maximum bit rate of a variant over networks that charge for data. Has no effect: no network is known to do so.
    nonisolated public var preferredPeakBitRateForExpensiveNetworks: Double {
        get { settings.withLock { $0.expensivePeakBitRate } }
        set { settings.withLock { $0.expensivePeakBitRate = newValue } }
    }

    /// The maximum resolution of a variant over networks that charge for data. Has no effect: no network is known to do
    /// so.
    nonisolated public var preferredMaximumResolutionForExpensiveNetworks: CGSize {
        get { settings.withLock { $0.expensiveMaximumResolution } }
        set { settings.withLock { $0.expensiveMaximumResolution = newValue } }
    }
}
