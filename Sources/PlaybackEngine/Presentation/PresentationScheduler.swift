import MediaCore
import PlayheadBackend

/// Lays the frames of an item on the timeline. It decides which frame is due, when the next one is, and when the
/// pass is over.
///
/// It is a plain value that belongs to the loop. It lives on the control lane, and the time is handed in.
struct PresentationScheduler {
    /// What one look at the queues gave.
    struct DueOutput {
        var frames: [ScheduledFrame] = []
        var audio: [ScheduledAudio] = []
        /// The last audio of this pass was taken.
        var audioEnded = false
        /// Nothing will happen before this time; nil: only when something new arrives.
        var wakeAt: HostTime?
        var hasUnderrun = false
        var end: PassEnd?
        var dequeuedFrames = 0
        /// Nanoseconds of item time in which the frames that were taken are due.
        var dequeuedDuration: Int64 = 0
        var dropped = 0
    }

    struct ScheduledFrame {
        var frame: VideoFrame
        var due: HostTime
    }

    struct ScheduledAudio {
        var buffer: AudioBuffer
        /// Of the buffer's pass.
        var origin: PassOrigin
    }

    struct PassEnd {
        var itemTime: ItemTime
        var error: MediaError?
    }

    struct FirstFrame {
        var itemTime: ItemTime
        var frame: VideoFrame?
    }

    let isRealTime: Bool
    /// How many nanoseconds before it is due audio goes to its sink at rate 1, so that the sink can keep a buffer.
    var sinkLead: Int64
    /// The loop corrects it, to keep it in step with a device.
    var timeline = Timeline()
    /// Of the item that plays.
    var ends = ItemEnds()
    /// Where other frames of the item are to go on.
    var replacementTime: ItemTime?
    var current = PresentationEpoch(epoch: Epoch())

    init(isRealTime: Bool) {
        self.isRealTime = isRealTime
        sinkLead = Self.defaultLead(isRealTime: isRealTime)
        audioSlack = Self.defaultSlack(isRealTime: isRealTime)
    }

    static func defaultLead(isRealTime: Bool) -> Int64 { isRealTime ? 100_000_000 : 0 }

    /// Audio alone wakes nobody until it is so many nanoseconds behind its lead: other wake-ups, those of video
    /// frames, take it along, and without any, several buffers go at once. A device gets its audio as early as it
    /// asked for.
    var audioSlack: Int64 = 0

    static func defaultSlack(isRealTime: Bool) -> Int64 { isRealTime ? 60_000_000 : 0 }

    /// A new epoch begins. `itemTime`: where the timeline is going to stand, as far as is known.
    mutating func begin(
        _ epoch: Epoch,
        at host: HostTime,
        itemTime: MediaTime? = nil,
        isReverse: Bool = false
    ) {
        current = PresentationEpoch(epoch: epoch, isReverse: isReverse)
        let time = max(.zero, ItemTime(itemTime) ?? .zero)
        timeline.jump(to: origin.timelineTime(of: time), epoch: epoch, at: host)
    }

    mutating func setRate(_ rate: Float, at host: HostTime) {
        timeline.setRate(PlaybackRate(rate), at: host)
    }

    /// How many nanoseconds before it is due audio is handed over. At another rate a time stretcher lies between here and the
    /// sink, which needs some audio ahead.
    var audioLead: Int64 {
        let rate = timeline.rate.factor
        if sinkLead == 0 || rate == 1 || rate <= 0 { return sinkLead }
        return sinkLead + Int64(AudioTempo.lookahead(at: rate) / rate * 1e9)
    }
}

/// Item time of the current pass, and what is read of it from outside.
extension PresentationScheduler {
    /// Passes of the epoch that were completed.
    var pass: Int { current.pass.number }
    /// Where the current pass lies on the timeline.
    var origin: PassOrigin { current.pass.origin }
    var isReverse: Bool {
        get { current.isReverse }
        set { current.isReverse = newValue }
    }
    var audioPrefetch: AudioPrefetch? {
        get { current.pass.audioPrefetch }
        set { current.pass.audioPrefetch = newValue }
    }
    var endWasReported: Bool { current.pass.endWasReported }
    var audioIsMisplaced: Bool { current.pass.audioIsMisplaced }

    func itemTime(at host: HostTime) -> ItemTime { origin.itemTime(of: timeline.media(at: host)) }

    /// nil while standing still.
    func hostTime(forItemTime time: ItemTime) -> HostTime? {
        timeline.host(for: origin.timelineTime(of: time))
    }

    /// When a frame with this item time is due.
    func dueTime(_ time: MediaTime) -> HostTime { dueTime(ItemTime(time) ?? .zero) }

    func dueTime(_ time: ItemTime) -> HostTime { hostTime(forItemTime: time) ?? .zero }

    /// Where every track was delivered up to, at least `now`.
    func deliveredUntil(_ now: ItemTime) -> ItemTime {
        max(now, current.pass.videoUntil, current.pass.audioUntil)
    }

    static func earlier(_ time: ItemTime?, _ other: MediaTime) -> ItemTime? {
        guard let other = ItemTime(other) else { return time }
        return min(time ?? other, other)
    }

    static func end(of frame: VideoFrame) -> ItemTime {
        (ItemTime(frame.presentationTime) ?? .zero) + max(0, frame.duration.nanoseconds ?? 0)
    }
}

extension PresentationScheduler.DueOutput {
    mutating func wake(at time: HostTime) {
        wakeAt = min(wakeAt ?? time, time)
    }
}
