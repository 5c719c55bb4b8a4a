package import MediaCore
import PlayheadBackend

/// A copy of the loop's state for all other threads, published after each update.
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
    /// The `Track.id` of each track that is played.
    package var enabledTracks: Set<Int> = []
    package var presentationSize: PixelSize = .zero
    package var isReadyForDisplay = false
    /// The target of the seek that is under way, or nil if there is none.
    package var seekTarget: MediaTime?
    /// The duration of an item that has been played to the end of its data; nil otherwise. The data may end earlier or
    /// later than the duration, for example if subtitles are longer than video and audio.
    var endTime: MediaTime?
    package var counters = PlaybackCounters()
    /// The number of frames shown in the last second of playback, or 0 while the timeline is stopped.
    package var frameRate: Float = 0
    package var audio = AudioDeviceFacts()
    /// The times to which a seek can be performed if the source cannot seek: those whose packets are kept. Nil if there
    /// are none, and for other sources.
    package var keptRange: MediaTimeRange?
    /// The item time at which the next video frame is due. Nil if that frame is not decoded.
    package var nextFrameTime: MediaTime?

    var timeline = Timeline()
    /// The position of the current pass on the timeline.
    var origin = PassOrigin()
    /// The end of the pass in item time, if it is known. Item time stops there until the loop has handled the end.
    var passEnd: ItemTime?

    package init() {}

    /// Returns the item time at `host`: the target while a seek is under way, and the duration at the end.
    package func itemTime(at host: HostTime) -> MediaTime {
        if let known = seekTarget ?? endTime { return known }
        var time = origin.itemTime(of: timeline.media(at: host))
        if let passEnd { time = min(time, passEnd) }
        return max(.zero, time).mediaTime
    }

    /// The rate at which item time advances.
    package var effectiveRate: Double { seekTarget == nil ? Double(timeline.rate.millionths) / 1_000_000 : 0 }

    /// Returns the host time at which an item time is reached, or nil if it has passed or the timeline is stopped.
    package func hostTime(forItemTime time: ItemTime) -> HostTime? {
        guard seekTarget == nil, passEnd.map({ time <= $0 }) ?? true else { return nil }
        return timeline.host(for: origin.timelineTime(of: time))
    }
}

extension PlaybackSnapshot {
    /// Applies a change that is reported, and returns whether it concerns the snapshot.
    mutating func apply(_ change: PlaybackChange, _ state: PlaybackState) -> Bool {
        switch change {
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
            guard itemID == id else { return false }
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
        default: return false
        }
        return true
    }
}
