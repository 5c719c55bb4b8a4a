import MediaCore
import PlayheadBackend

/// Maps the frames of an item to the timeline. It decides which frame is due, when the next one is, and when the pass
/// has ended.
///
/// It is a value that belongs to the loop. It is confined to the control lane, and times are passed in.
struct PresentationScheduler {
    /// The result of one inspection of the queues.
    struct DueOutput {
        var frames: [ScheduledFrame] = []
        var audio: [ScheduledAudio] = []
        /// The audio that was prefetched from the next item.
        var audioOfNext: [ScheduledAudio] = []
        /// A Boolean value that indicates whether the last audio of this pass was dequeued.
        var audioEnded = false
        /// A Boolean value that indicates whether silence follows the audio that was dequeued.
        var silenceFollows = false
        /// The time before which nothing happens, or nil if only new data requires an update.
        var wakeAt: HostTime?
        var hasUnderrun = false
        var end: PassEnd?
        var dequeuedFrames = 0
        /// The number of those that have no pixels.
        var undecodedFrames = 0
        /// The item time that the dequeued video frames cover, in nanoseconds.
        var dequeuedDuration: Int64 = 0
        var dropped = 0
    }

    struct ScheduledFrame {
        var frame: VideoFrame
        var due: HostTime
    }

    struct ScheduledAudio {
        var buffer: AudioBuffer
        /// The origin of the buffer's pass.
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
    /// The time by which audio is delivered to its sink ahead of its due time at rate 1, in nanoseconds. It allows
    /// the sink to keep a buffer.
    var sinkLead: Int64
    /// A Boolean value that indicates whether the audio sink has a device. Its capacity is limited, so long audio is
    /// delivered in pieces. It can discard what it has not played, so it receives audio from after a seam in advance.
    var hasAudioDevice = false
    /// The timeline. The loop corrects it to keep it synchronized with an audio device.
    var timeline = Timeline()
    /// The ends of the current item.
    var ends = ItemEnds()
    /// The item time at which other frames of the item take over, or nil.
    var replacementTime: ItemTime?
    var current = PresentationEpoch(epoch: Epoch())

    init(isRealTime: Bool) {
        self.isRealTime = isRealTime
        sinkLead = Self.defaultLead(isRealTime: isRealTime)
        audioSlack = Self.defaultSlack(isRealTime: isRealTime)
    }

    static func defaultLead(isRealTime: Bool) -> Int64 { isRealTime ? 100_000_000 : 0 }

    /// The time in nanoseconds that audio may be late relative to its lead before it requires a wake-up of its own.
    /// Wake-ups for video frames deliver audio as well, and without any, several buffers are delivered at once. It is
    /// 0 for a device, which receives its audio as early as it requested.
    var audioSlack: Int64 = 0

    static func defaultSlack(isRealTime: Bool) -> Int64 { isRealTime ? 60_000_000 : 0 }

    /// Begins a new epoch. `itemTime` is the expected start time, if it is known.
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

    /// The time in nanoseconds by which audio is delivered ahead of its due time. At a rate other than 1 it includes
    /// the lookahead of the time stretcher.
    var audioLead: Int64 {
        let rate = timeline.rate.factor
        if sinkLead == 0 || rate == 1 || rate <= 0 { return sinkLead }
        return sinkLead.addingClamped(Int64(clamping: AudioTempo.lookahead(at: rate) / rate * 1e9))
    }
}

/// Item time and state of the current pass.
extension PresentationScheduler {
    /// The number of completed passes of the epoch.
    var pass: Int { current.pass.number }
    /// The position of the current pass on the timeline.
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
    var audioIsVoid: Bool { current.pass.audioIsVoid }
    var audioIsMisplaced: Bool { current.pass.audioIsMisplaced }

    func itemTime(at host: HostTime) -> ItemTime { origin.itemTime(of: timeline.media(at: host)) }

    /// Returns the item time at which the next frame of the pass is due: that of the front one in the queue, or nil if
    /// the queue is empty. No frame follows the last one.
    func nextFrameTime(_ pipeline: ItemPipeline) -> ItemTime? {
        switch pipeline.video?.frames.elementInfo() {
        case .video(pass, let time)?: isReverse ? current.pass.lastFrameTime : ItemTime(time)
        case .endOfPass(pass, _, _)?: .distantFuture
        default: nil
        }
    }

    /// Returns the host time of an item time, or nil while the timeline is stopped.
    func hostTime(forItemTime time: ItemTime) -> HostTime? {
        timeline.host(for: origin.timelineTime(of: time))
    }

    /// Returns the time at which a frame with this item time is due.
    func dueTime(_ time: MediaTime) -> HostTime { dueTime(ItemTime(time) ?? .zero) }

    func dueTime(_ time: ItemTime) -> HostTime { hostTime(forItemTime: time) ?? .zero }

    /// Returns the item time up to which all tracks were delivered, at least `now`.
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
