public import MediaCore

/// Names one attachment of an item to a player. Never used twice, so a late answer cannot be mistaken.
public struct ItemID: Hashable, Sendable, CustomStringConvertible {
    public var rawValue: UInt64
    public init(_ rawValue: UInt64) { self.rawValue = rawValue }
    public var description: String { "item \(rawValue)" }
}

/// Names one seek call.
public struct SeekID: Hashable, Sendable {
    public var rawValue: UInt64
    public init(_ rawValue: UInt64) { self.rawValue = rawValue }
}

/// What a seek asks for. The result lies in `target - toleranceBefore ... target + toleranceAfter`.
public struct SeekRequest: Hashable, Sendable {
    public var id: SeekID
    public var target: MediaTime
    public var toleranceBefore: MediaTime
    public var toleranceAfter: MediaTime

    public init(
        id: SeekID,
        target: MediaTime,
        toleranceBefore: MediaTime = .zero,
        toleranceAfter: MediaTime = .zero
    ) {
        self.id = id
        self.target = target
        self.toleranceBefore = Self.usable(toleranceBefore)
        self.toleranceAfter = Self.usable(toleranceAfter)
    }

    /// What is no length of time, or a negative one, counts as none.
    private static func usable(_ tolerance: MediaTime) -> MediaTime {
        tolerance.isNumeric || tolerance == .positiveInfinity ? max(.zero, tolerance) : .zero
    }
}

public enum LoadState: String, Hashable, Sendable {
    case unknown, readyToPlay, failed
}

public enum TimeControlState: String, Hashable, Sendable {
    case paused, waitingToPlayAtSpecifiedRate, playing
}

public enum WaitReason: String, Hashable, Sendable {
    case toMinimizeStalls, evaluatingBufferingRate, noItemToPlay
}

public enum EndAction: String, Hashable, Sendable {
    case advance, pause, none
}

public enum RepeatSetting: String, Hashable, Sendable {
    case once, loop
}

/// Why the rate is what it is.
public enum RateChangeReason: String, Hashable, Sendable {
    case setRateCalled, stalled, resumedAfterStall, itemEnded, itemFailed
}

/// How a pass ended. A pass begins when an item becomes the current one, and again when playing goes on after
/// an outcome: a loop's next pass, a seek or a turn away from the end, playing on from the end.
public enum PassOutcome: Hashable, Sendable {
    case playedToEnd
    /// Another item took its place.
    case replaced
    /// It was taken off, and nothing took its place.
    case stopped
    case failed(MediaError)
}

/// How much of the enabled tracks is at hand.
public struct BufferLevel: Hashable, Sendable {
    /// A track has nothing left and its data has not ended.
    public var isEmpty: Bool
    public var isLikelyToKeepUp: Bool
    /// No more will be read for now: the bounds are reached or the data has ended.
    public var isFull: Bool

    public init(isEmpty: Bool, isLikelyToKeepUp: Bool, isFull: Bool) {
        self.isEmpty = isEmpty
        self.isLikelyToKeepUp = isLikelyToKeepUp
        self.isFull = isFull
    }

    public static let empty = BufferLevel(isEmpty: true, isLikelyToKeepUp: false, isFull: false)
    public static let ready = BufferLevel(isEmpty: false, isLikelyToKeepUp: true, isFull: true)
}
