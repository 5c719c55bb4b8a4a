import MediaCore
import Playhead

extension AVPlayer {
    /// A value that indicates whether the player can play at all.
    public enum Status: Int, Sendable {
        /// The player has not tried to open an item yet.
        case unknown = 0
        /// The player can play.
        case readyToPlay = 1
        /// The player cannot play; `error` says why.
        case failed = 2
    }

    /// A value that indicates whether playback is paused, waiting or playing.
    public enum TimeControlStatus: Int, Sendable {
        /// The rate is 0.
        case paused = 0
        /// The rate is not 0, and the player waits; see `reasonForWaitingToPlay`.
        case waitingToPlayAtSpecifiedRate = 1
        /// Time advances.
        case playing = 2
    }

    /// The action at the end of an item.
    public enum ActionAtItemEnd: Int, Sendable {
        /// The next item of the queue is played.
        case advance = 0
        /// The player pauses.
        case pause = 1
        /// Nothing happens.
        case none = 2
    }

    /// The reason why a player with a rate other than 0 does not play.
    public struct WaitingReason: RawRepresentable, Hashable, Sendable {
        /// The name of the reason.
        public let rawValue: String
        /// Creates a reason from its name.
        ///
        /// - Parameter rawValue: The name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// More data is needed to play without stalls.
        public static let toMinimizeStalls = WaitingReason(rawValue: "AVPlayerWaitingToMinimizeStallsReason")
        /// The player measures how fast data arrives.
        public static let evaluatingBufferingRate =
            WaitingReason(rawValue: "AVPlayerWaitingWhileEvaluatingBufferingRateReason")
        /// There is no item.
        public static let noItemToPlay = WaitingReason(rawValue: "AVPlayerWaitingWithNoItemToPlayReason")
    }

    /// The reason why the rate has changed.
    public struct RateDidChangeReason: RawRepresentable, Hashable, Sendable {
        /// The name of the reason.
        public let rawValue: String
        /// Creates a reason from its name.
        ///
        /// - Parameter rawValue: The name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The application changed the rate.
        public static let setRateCalled = RateDidChangeReason(
            rawValue: "AVPlayerRateDidChangeReasonSetRateCalled"
        )
        /// The item cannot be played.
        public static let setRateFailed = RateDidChangeReason(
            rawValue: "AVPlayerRateDidChangeReasonSetRateFailed"
        )
        /// The system interrupted audio.
        public static let audioSessionInterrupted =
            RateDidChangeReason(rawValue: "AVPlayerRateDidChangeReasonAudioSessionInterrupted")
        /// The application is in the background. It does not occur.
        public static let appBackgrounded =
            RateDidChangeReason(rawValue: "AVPlayerRateDidChangeReasonAppBackgrounded")
    }
}

extension AVPlayer.Status {
    init(_ status: Player.Status) {
        self =
            switch status {
            case .unknown: .unknown
            case .readyToPlay: .readyToPlay
            case .failed: .failed
            }
    }
}

extension AVPlayer.TimeControlStatus {
    init(_ status: Player.TimeControlStatus) {
        self =
            switch status {
            case .paused: .paused
            case .waitingToPlayAtSpecifiedRate: .waitingToPlayAtSpecifiedRate
            case .playing: .playing
            }
    }
}

extension AVPlayer.ActionAtItemEnd {
    init(_ action: Player.ActionAtItemEnd) {
        self =
            switch action {
            case .advance: .advance
            case .pause: .pause
            case .none: .none
            }
    }

    var action: Player.ActionAtItemEnd {
        switch self {
        case .advance: .advance
        case .pause: .pause
        case .none: .none
        }
    }
}

extension AVPlayer.WaitingReason {
    init(_ reason: Player.WaitingReason) {
        self =
            switch reason {
            case .toMinimizeStalls: .toMinimizeStalls
            case .evaluatingBufferingRate: .evaluatingBufferingRate
            case .noItemToPlay: .noItemToPlay
            }
    }
}

extension AVPlayer.RateDidChangeReason {
    /// Creates the reason, or nil if Apple's player has none: at an end and at a stall.
    init?(_ reason: RateChangeReason) {
        switch reason {
        case .setRateCalled, .resumedAfterStall, .resumedAfterInterruption: self = .setRateCalled
        case .audioSessionInterrupted: self = .audioSessionInterrupted
        case .itemFailed: self = .setRateFailed
        case .stalled, .itemEnded: return nil
        }
    }
}
