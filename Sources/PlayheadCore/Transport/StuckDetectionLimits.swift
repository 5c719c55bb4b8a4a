import MediaCore
import PlaybackEngine

/// The limits on the player's clock for playback that makes no progress. When a limit is exceeded, the item
/// fails with `MediaError.Code.stuck`, like after any other error during playback.
///
/// A pause, a seek, and every kind of progress restart the count. Nil, and a value that is not positive or longer than
/// a century, disables a limit.
public struct StuckDetectionLimits: Hashable, Sendable {
    /// The limit while the player waits for data and no byte arrives. It applies in real time only: on the virtual
    /// clock no time passes while data is being received.
    public var loading: Duration? = .seconds(600)
    /// The limit while time should advance and does not, or while no frame or audio is delivered although data is
    /// available.
    public var playing: Duration? = .seconds(10)
    /// The limit corresponding to `playing` after the declared end of the item.
    public var ending: Duration? = .seconds(60)

    /// Creates limits of 600 s for loading, 10 s for playing and 60 s for the end.
    public init() {}

    var nanoseconds: StuckDetector.Limits {
        StuckDetector.Limits(
            loading: Self.nanoseconds(loading),
            playing: Self.nanoseconds(playing),
            ending: Self.nanoseconds(ending)
        )
    }

    private static func nanoseconds(_ limit: Duration?) -> Int64? {
        guard let limit, limit > .zero, limit <= maximum else { return nil }
        return max(minimum, limit).nanoseconds
    }

    /// A century.
    private static let maximum = Duration.seconds(3_200_000_000)
    private static let minimum = Duration.milliseconds(1)
}

extension Player {
    /// The limits for playback that makes no progress. A change takes effect at once.
    public var stuckDetectionLimits: StuckDetectionLimits {
        get { core.setting(\.stuckDetectionLimits) }
        set { core.setStuckDetectionLimits(newValue) }
    }
}

extension PlayerCore {
    func setStuckDetectionLimits(_ limits: StuckDetectionLimits) {
        let applied = limits.nanoseconds
        state.withLock { state in
            state.stuckDetectionLimits = limits
            state.addCommand { $0.setStuckDetectionLimits(applied) }
        }
        executeCommands()
    }
}
