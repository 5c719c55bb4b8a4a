import PlaybackEngine

/// For how long a player that is to play may get nowhere, in seconds of its clock. Beyond that its item fails with
/// `MediaError.Code.stuck`, as it does of any other fault in its middle, and nobody waits for ever.
///
/// A pause and a seek begin the count anew, and so does everything that comes or moves. nil, and what is no length of
/// time: it may do so for ever.
public struct StuckDetectionLimits: Hashable, Sendable {
    /// It waits, and no byte of what it waits for comes. Counted where time is real: on the virtual clock none
    /// passes while bytes are under way.
    public var loading: Double? = 600
    /// Time is to run, and it stands, or nothing more is shown or heard although the data is there.
    public var playing: Double? = 10
    /// The same behind the end that the item declares.
    public var ending: Double? = 60

    /// 600, 10 and 60 seconds.
    public init() {}

    var nanoseconds: StuckDetector.Limits {
        StuckDetector.Limits(
            loading: Self.nanoseconds(loading),
            playing: Self.nanoseconds(playing),
            ending: Self.nanoseconds(ending)
        )
    }

    private static func nanoseconds(_ seconds: Double?) -> Int64? {
        guard let seconds, seconds > 0, seconds <= longest else { return nil }
        return max(shortest, Int64(seconds * 1e9))
    }

    /// A century.
    private static let longest = 3.2e9
    /// A millisecond.
    private static let shortest: Int64 = 1_000_000
}

extension Player {
    /// For how long it may get nowhere. Takes effect at once.
    public var stuckDetectionLimits: StuckDetectionLimits {
        get { core.setting(\.stuckDetectionLimits) }
        set { core.setStuckDetectionLimits(newValue) }
    }
}

extension PlayerCore {
    func setStuckDetectionLimits(_ limits: StuckDetectionLimits) {
        state.withLock { $0.stuckDetectionLimits = limits }
        loop.setStuckDetectionLimits(limits.nanoseconds)
    }
}
