import MediaCore

/// Lays the frames of an item on the timeline. It decides which frame is due, when the next one is, and when the
/// pass is over.
///
/// It is a plain value that belongs to the loop. It lives on the control lane, and the time is handed in.
struct Renderer {
    /// What one look at the queues gave.
    struct Outcome {
        var shown: [Shown] = []
        var sound: [Sound] = []
        /// The last audio of this pass was taken.
        var soundEnded = false
        /// Nothing will happen before this time; nil: only when something new arrives.
        var wakeAt: HostTime?
        var isDry = false
        var end: PassEnd?
        var framesTaken = 0
        var dropped = 0
    }

    struct Shown {
        var frame: VideoFrame
        var due: HostTime
    }

    struct Sound {
        var buffer: AudioBuffer
        /// Where on the timeline item time zero of the buffer lies.
        var origin: Int64
    }

    struct PassEnd {
        var itemTime: Int64
        var error: MediaError?
    }

    struct Landing {
        var itemTime: Int64
        var frame: VideoFrame?
    }

    /// Where playing an item ends, in item time.
    struct Ends: Hashable {
        /// `forwardPlaybackEndTime`.
        var forward: Int64?
        /// `reversePlaybackEndTime`.
        var reverse: Int64 = 0
    }

    let isRealTime: Bool
    /// How long before it is due audio goes to its sink at rate 1, so that the sink can keep a buffer.
    var sinkLead: Int64
    /// The loop corrects it, to keep it in step with a device.
    var timeline = Timeline()
    var ends = Ends()
    /// Item time at which other frames of the item are to go on.
    var replacedFrom: Int64?
    var current = RenderEpoch(epoch: Epoch())

    init(isRealTime: Bool) {
        self.isRealTime = isRealTime
        sinkLead = Self.defaultLead(isRealTime: isRealTime)
    }

    static func defaultLead(isRealTime: Bool) -> Int64 { isRealTime ? 100_000_000 : 0 }

    /// A new epoch begins. `itemTime`: where the timeline is going to stand, as far as is known.
    mutating func begin(
        _ epoch: Epoch,
        at host: HostTime,
        itemTime: MediaTime? = nil,
        isReverse: Bool = false
    ) {
        current = RenderEpoch(epoch: epoch, isReverse: isReverse)
        timeline.jump(to: max(0, itemTime?.nanoseconds ?? 0), epoch: epoch, at: host)
    }

    mutating func setRate(_ rate: Float, at host: HostTime) {
        timeline.setRate(PlaybackRate(rate), at: host)
    }

    /// How long before it is due audio is handed over. At another rate a time stretcher lies between here and the
    /// sink, which needs some audio ahead.
    var audioLead: Int64 {
        let rate = timeline.rate.factor
        if sinkLead == 0 || rate == 1 || rate <= 0 { return sinkLead }
        return sinkLead + Int64(AudioTempo.lookahead(at: rate) / rate * 1e9)
    }
}

/// Item time of the current pass, and what is read of it from outside.
extension Renderer {
    /// Passes of the epoch that were completed.
    var pass: Int { current.pass.number }
    /// Where the current pass begins on the timeline, in nanoseconds.
    var passStart: Int64 { current.pass.origin }
    var isReverse: Bool {
        get { current.isReverse }
        set { current.isReverse = newValue }
    }
    var endTime: Int64? {
        get { ends.forward }
        set { ends.forward = newValue }
    }
    var reverseEnd: Int64 {
        get { ends.reverse }
        set { ends.reverse = newValue }
    }
    var ahead: SoundAhead? {
        get { current.pass.ahead }
        set { current.pass.ahead = newValue }
    }
    var endWasReported: Bool { current.pass.endWasReported }
    var soundIsMisplaced: Bool { current.pass.soundIsMisplaced }

    func itemTime(at host: HostTime) -> Int64 { timeline.media(at: host) &- passStart }

    /// nil while standing still.
    func hostTime(forItemTime time: Int64) -> HostTime? { timeline.host(for: passStart &+ time) }

    /// When a frame with this item time is due.
    func dueTime(_ time: MediaTime) -> HostTime { dueTime(time.nanoseconds ?? 0) }

    func dueTime(_ time: Int64) -> HostTime { hostTime(forItemTime: time) ?? .zero }

    /// Item time up to which every track was delivered, at least `now`.
    func deliveredUntil(_ now: Int64) -> Int64 {
        max(now, current.pass.videoUntil, current.pass.audioUntil)
    }

    /// Host nanoseconds by which the next video frame is late although its data is there; forward.
    func lateness(_ branch: Branch, at now: HostTime) -> Int64 {
        guard timeline.isRunning, branch.frames.isEmpty, !branch.packets.isEmpty else { return 0 }
        return max(0, now.nanoseconds(since: dueTime(current.pass.videoUntil)))
    }

    static func earlier(_ time: Int64?, _ other: MediaTime) -> Int64? {
        guard let other = other.nanoseconds else { return time }
        return min(time ?? other, other)
    }

    static func end(of frame: VideoFrame) -> Int64 {
        (frame.presentationTime.nanoseconds ?? 0) &+ max(0, frame.duration.nanoseconds ?? 0)
    }
}

extension Renderer.Outcome {
    mutating func wake(at time: HostTime) {
        wakeAt = min(wakeAt ?? time, time)
    }
}
