import MediaCore

/// Lays the frames of the pipeline on the timeline: which one now, which one when, and when the pass is over.
///
/// A plain value of the loop's: it lives on the control lane and is handed the time.
struct Renderer {
    /// What came of one look at the queues.
    struct Outcome {
        var shown: [Shown] = []
        var sound: [Sound] = []
        /// The last sound of this pass has been taken.
        var soundEnded = false
        /// Nothing will happen before this; nil: only when something new arrives.
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

    // MARK: Set by the loop

    /// Corrected, to be in step with a device.
    var timeline = Timeline()
    /// `forwardPlaybackEndTime`, item time.
    var endTime: Int64?
    /// Item time at which other frames of the item are to go on.
    var replacedFrom: Int64?
    /// Time runs backward: a picture comes due where the one after it began.
    var isReverse = false
    var reverseEnd: Int64 = 0
    /// How long before it is due sound goes to its sink at rate 1, so that the sink can keep a buffer.
    var sinkLead: Int64

    // MARK: Set by the renderer's own files

    let isRealTime: Bool
    /// Where the current pass begins on the timeline, in nanoseconds.
    var passStart: Int64 = 0
    var pass = 0
    var epoch = Epoch()
    /// Up to where each track was delivered, in item time of the current pass.
    var videoUntil: Int64 = 0
    var audioUntil: Int64 = 0
    var reverseEdge: Int64 = 0
    var endWasReported = false
    /// Sound from beyond the seam, handed over ahead of it.
    var ahead: SoundAhead?
    /// The last seam was not where it was foreseen.
    var soundIsMisplaced = false
    /// Sound before this item time is cut off: a quick seek landed on a key frame behind it.
    var audioTrim: Int64?
    /// Loop was switched on too late to have the next pass at hand: it begins when its first frame is there.
    var awaitsPass = false
    /// The pass whose sound has been taken to its end.
    var soundEndedIn: Int?
    /// At another speed what is made of it comes out later.
    var audioLead: Int64 {
        let rate = timeline.rate.factor
        if sinkLead == 0 || rate == 1 || rate <= 0 { return sinkLead }
        return sinkLead + Int64(AudioTempo.lookahead(at: rate) / rate * 1e9)
    }

    init(isRealTime: Bool) {
        self.isRealTime = isRealTime
        sinkLead = Self.defaultLead(isRealTime: isRealTime)
    }

    static func defaultLead(isRealTime: Bool) -> Int64 { isRealTime ? 100_000_000 : 0 }

    /// `itemTime`: where it is going to land, as far as is known.
    mutating func begin(_ epoch: Epoch, at host: HostTime, itemTime: MediaTime? = nil) {
        self.epoch = epoch
        timeline.jump(to: max(0, itemTime?.nanoseconds ?? 0), epoch: epoch, at: host)
        passStart = 0
        pass = 0
        soundEndedIn = nil
        endWasReported = false
        awaitsPass = false
        videoUntil = 0
        audioUntil = 0
        audioTrim = nil
        ahead = nil
    }

    mutating func setRate(_ rate: Float, at host: HostTime) {
        timeline.setRate(PlaybackRate(rate), at: host)
    }

    /// nil while standing still.
    func hostTime(forItemTime time: Int64) -> HostTime? { timeline.host(for: passStart &+ time) }

    func itemTime(at host: HostTime) -> Int64 { timeline.media(at: host) &- passStart }

    /// Item time up to which every track was delivered, at least `now`.
    func deliveredUntil(_ now: Int64) -> Int64 { max(now, videoUntil, audioUntil) }

    static func earlier(_ time: Int64?, _ other: MediaTime) -> Int64? {
        guard let other = other.nanoseconds else { return time }
        return min(time ?? other, other)
    }

    static func end(of frame: VideoFrame) -> Int64 {
        (frame.presentationTime.nanoseconds ?? 0) &+ max(0, frame.duration.nanoseconds ?? 0)
    }

    /// Takes what is due at `now` from the queues and says when to look again.
    mutating func look(_ pipeline: ItemPipeline, at now: HostTime) -> Outcome {
        var outcome = Outcome()
        guard timeline.isRunning else { return outcome }
        if awaitsPass { resumePass(pipeline, at: now) }
        if let video = pipeline.video { lookAtVideo(video, now, &outcome) }
        if !isReverse, let audio = pipeline.audio {
            lookAtAudio(audio, now, &outcome)
            if audioLead > 0 { lookBeyondSeam(pipeline, audio, now, &outcome) }
        }
        if !endWasReported { lookForEnd(pipeline, now, &outcome) }
        return outcome
    }

    private mutating func lookAtVideo(_ branch: Branch, _ now: HostTime, _ outcome: inout Outcome) {
        while case .video(let frame)? = branch.frames.peek(), frame.pass == pass {
            let due = isReverse ? dueTime(reverseEdge) : dueTime(frame.presentationTime)
            var nextDue: HostTime?
            if isRealTime, isReverse {
                if case .video? = branch.frames.peek(1) { nextDue = dueTime(frame.presentationTime) }
            } else if isRealTime, case .video(let next)? = branch.frames.peek(1), next.pass == pass {
                nextDue = dueTime(next.presentationTime)
            }
            switch FrameScheduler.decide(due: due, nextDue: nextDue, now: now, isRealTime: isRealTime) {
            case .hold(let time):
                outcome.wake(at: time)
                return
            case .drop: outcome.dropped += 1
            case .present: outcome.shown.append(Shown(frame: frame, due: due))
            }
            outcome.framesTaken += 1
            videoUntil = Self.end(of: frame)
            reverseEdge = frame.presentationTime.nanoseconds ?? reverseEdge
            branch.advance()
        }
        // Backward there is nothing to wait for: what comes late is shown late.
        guard !isReverse else { return }
        noteDryness(of: branch, until: videoUntil, now, &outcome)
    }

    private mutating func lookAtAudio(_ branch: Branch, _ now: HostTime, _ outcome: inout Outcome) {
        while case .audio(var buffer)? = branch.frames.peek(), buffer.pass == pass {
            let due = dueTime(buffer.presentationTime).advanced(by: -audioLead)
            if due > now {
                outcome.wake(at: due)
                return
            }
            branch.advance()
            if let trim = audioTrim {
                buffer = buffer.starting(at: MediaTime(value: trim, timescale: 1_000_000_000))
                if buffer.frameCount == 0 { continue }
                audioTrim = nil
            }
            audioUntil =
                (buffer.presentationTime.nanoseconds ?? audioUntil) &+ (buffer.duration.nanoseconds ?? 0)
            outcome.sound.append(Sound(buffer: buffer, origin: passStart))
        }
        if case .endOfPass? = branch.frames.peek(), soundEndedIn != pass {
            soundEndedIn = pass
            outcome.soundEnded = true
        }
        if ahead == nil { noteDryness(of: branch, until: audioUntil, now, &outcome) }
    }

    /// Dry: the track has not ended, nothing of it is left on its way, and what was delivered is over.
    private func noteDryness(of branch: Branch, until: Int64, _ now: HostTime, _ outcome: inout Outcome) {
        guard branch.frames.isEmpty, branch.packets.isEmpty else { return }
        let over = timeline.host(for: passStart &+ until) ?? now
        if over <= now { outcome.isDry = true } else { outcome.wake(at: over) }
    }

    private mutating func lookForEnd(_ pipeline: ItemPipeline, _ now: HostTime, _ outcome: inout Outcome) {
        guard let end = passEnd(pipeline) else { return }
        // What replaces these frames knows better where it ends.
        if let replacedFrom, replacedFrom <= end.itemTime { return }
        let due = timeline.host(for: passStart &+ end.itemTime) ?? now
        guard due <= now else {
            outcome.wake(at: due)
            return
        }
        endWasReported = true
        outcome.end = end
    }

    private func dueTime(_ time: MediaTime) -> HostTime { dueTime(time.nanoseconds ?? 0) }

    private func dueTime(_ time: Int64) -> HostTime { timeline.host(for: passStart &+ time) ?? .zero }

    /// Host nanoseconds by which the next picture is overdue although its data is there; forward.
    func lateness(_ branch: Branch, at now: HostTime) -> Int64 {
        guard timeline.isRunning, branch.frames.isEmpty, !branch.packets.isEmpty else { return 0 }
        return max(0, now.nanoseconds(since: dueTime(videoUntil)))
    }
}

extension Renderer.Outcome {
    mutating func wake(at time: HostTime) {
        wakeAt = min(wakeAt ?? time, time)
    }
}
