package import MediaCore
import PlayheadBackend

/// What everyone but the loop sees: a copy, published after each turn.
package struct PlaybackSnapshot: Sendable {
    package var rate: Float = 0
    package var timeControl: TimeControlStatus = .paused
    package var waitReason: WaitingReason?
    package var status: PlayerStatus = .unknown
    package var itemID: ItemID?
    package var itemStatus: PlayerItemStatus = .unknown
    package var itemError: MediaError?
    package var isInterrupted = false
    package var level: BufferLevel = .empty
    package var repeatSetting: RepeatMode = .once
    package var description: MediaDescription?
    /// `Track.id` of the tracks that are played.
    package var enabledTracks: Set<Int> = []
    package var presentationSize: PixelSize = .zero
    package var isReadyForDisplay = false
    /// Where a seek is going; nil when none is under way.
    package var seekTarget: MediaTime?
    package var counters = PlaybackCounters()
    /// Frames a second that were shown in the last second of playing; 0 while standing still.
    package var frameRate: Float = 0
    package var audio = AudioDeviceFacts()

    var timeline = Timeline()
    /// Where the current pass lies on the timeline.
    var origin = PassOrigin()
    /// Where it ends, in item time, as far as is known: time stands there until the loop has decided.
    var passEnd: ItemTime?

    package init() {}

    /// Item time at `host`: the target while a seek is under way.
    package func itemTime(at host: HostTime) -> MediaTime {
        if let seekTarget { return seekTarget }
        var time = origin.itemTime(of: timeline.media(at: host))
        if let passEnd { time = min(time, passEnd) }
        return max(.zero, time).mediaTime
    }

    /// How fast item time runs.
    package var effectiveRate: Double { seekTarget == nil ? Double(timeline.rate.millionths) / 1_000_000 : 0 }

    /// When an item time is reached; nil: it is passed, or time stands.
    package func hostTime(forItemTime time: ItemTime) -> HostTime? {
        guard seekTarget == nil, passEnd.map({ time <= $0 }) ?? true else { return nil }
        return timeline.host(for: origin.timelineTime(of: time))
    }
}

extension PlaybackSnapshot {
    /// Takes over what a notice tells.
    mutating func apply(_ notice: PlaybackNotice, _ state: PlaybackState) {
        switch notice {
        case .playerStatusChanged(let status): self.status = status
        case .itemChanged(_, let id):
            itemID = id
            itemStatus = .unknown
            itemError = nil
            level = .empty
        case .itemStatusChanged(_, let status):
            itemStatus = status
            itemError = state.item?.error
        case .itemFailed(let id, let error):
            guard itemID == id else { break }
            itemStatus = .failed
            itemError = error
        case .rateChanged(_, let rate, _): self.rate = rate
        case .timeControlChanged(let status, let reason):
            timeControl = status
            waitReason = reason
        case .bufferEmptyChanged(_, let flag): level.isEmpty = flag
        case .bufferFullChanged(_, let flag): level.isFull = flag
        case .likelyToKeepUpChanged(_, let flag): level.isLikelyToKeepUp = flag
        case .interruptionBegan: isInterrupted = true
        case .interruptionEnded: isInterrupted = false
        case .repeatModeChanged(let setting): repeatSetting = setting
        case .durationChanged, .playbackStalled, .playedToEnd, .failedToPlayToEnd, .timeJumped, .passEnded:
            break
        }
    }
}
