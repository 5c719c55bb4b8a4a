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

    /// Corrected by the loop, to be in step with a device.
    var timeline = Timeline()
    /// Where the current pass begins on the timeline, in nanoseconds.
    private(set) var passStart: Int64 = 0
    private(set) var pass = 0
    private(set) var epoch = Epoch()
    /// Up to where each track was delivered, in item time of the current pass.
    private var videoUntil: Int64 = 0
    private var audioUntil: Int64 = 0
    private(set) var endWasReported = false
    /// Sound from beyond the seam, handed over ahead of it.
    var ahead: SoundAhead?
    /// The last seam was not where it was foreseen.
    private(set) var soundIsMisplaced = false
    /// Sound before this item time is cut off: a quick seek landed on a key frame behind it.
    private var audioTrim: Int64?
    /// Loop was switched on too late to have the next pass at hand: it begins when its first frame is there.
    private var awaitsPass = false
    /// Item time at which other frames of the item are to go on.
    var replacedFrom: Int64?
    /// `forwardPlaybackEndTime`, item time.
    var endTime: Int64?

    /// Time runs backward: a picture comes due where the one after it began.
    var isReverse = false
    private var reverseEdge: Int64 = 0
    var reverseEnd: Int64 = 0

    let isRealTime: Bool
    /// How long before it is due sound goes to its sink at rate 1, so that the sink can keep a buffer.
    var sinkLead: Int64
    /// At another speed what is made of it comes out later.
    var audioLead: Int64 {
        let rate = timeline.rate.factor
        if sinkLead == 0 || rate == 1 || rate <= 0 { return sinkLead }
        return sinkLead + Int64(AudioTempo.lookahead(at: rate) / rate * 1e9)
    }
    /// The pass whose sound has been taken to its end.
    private var soundEndedIn: Int?

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

    /// The end of the current pass in item time, once every track has shown where it ends.
    func passEnd(_ pipeline: ItemPipeline) -> PassEnd? {
        var end = PassEnd(itemTime: 0, error: nil)
        var sawFrames = false
        for branch in pipeline.branches {
            guard let (last, error) = endMark(branch) else { return nil }
            if let last {
                sawFrames = true
                end.itemTime = max(end.itemTime, last)
            }
            end.error = end.error ?? error
        }
        if isReverse { end.itemTime = reverseEnd }
        if let endTime, !isReverse { end.itemTime = min(end.itemTime, endTime) }
        // After a seek behind the last frame the pass ends where the timeline stands.
        if !sawFrames, !isReverse { end.itemTime = max(end.itemTime, videoUntil, audioUntil) }
        return end
    }

    /// What the track's own end of the current pass says; nil: it has not shown yet.
    private func endMark(_ branch: Branch) -> (last: Int64?, error: MediaError?)? {
        if branch.track.mediaType == .audio, let mark = ahead?.mark { return (mark.last, mark.error) }
        guard case .endOfPass(pass, let last, let error)? = branch.frames.peek() else { return nil }
        return (last, error)
    }

    /// Finds where the epoch begins once every track has shown something, and stands the timeline there. nil:
    /// not yet.
    mutating func land(_ pipeline: ItemPipeline, start: EpochStart, at host: HostTime) -> Landing? {
        var earliest: Int64?
        var picture: VideoFrame?
        var waiting = 0
        for branch in pipeline.branches {
            switch branch.frames.peek() {
            case .video(let frame)?:
                // Due long before: a later one follows, or the end, and which decides where time stands.
                if let wanted = start.firstWanted?.nanoseconds, !start.isReverse,
                    Self.end(of: frame) < wanted,
                    branch.frames.peek(1) == nil
                {
                    return nil
                }
                picture = frame
                earliest = Self.earlier(earliest, frame.presentationTime)
            case .audio(let buffer)?: earliest = Self.earlier(earliest, buffer.presentationTime)
            case .endOfPass?: continue
            // A track that begins far into the file must not hold up the others.
            case nil:
                guard pipeline.isFull(epoch), branch.packets.isEmpty else { return nil }
                waiting += 1
            }
        }
        if waiting > 0, earliest == nil { return nil }
        var landing = Landing(itemTime: max(0, earliest ?? 0), frame: picture)
        if let wanted = start.firstWanted?.nanoseconds {
            landing.itemTime = max(wanted, earliest ?? wanted)
            if let end = dataEnd(pipeline, isReverse: start.isReverse, picture) {
                landing.itemTime = min(landing.itemTime, end)
            }
        } else if start.demuxTarget != nil, let time = picture?.presentationTime.nanoseconds {
            // A quick seek lands on the key frame; sound from before it is cut off.
            landing.itemTime = time
            audioTrim = time
        }
        if let picture {
            pipeline.video?.advance()
            videoUntil = Self.end(of: picture)
            reverseEdge = picture.presentationTime.nanoseconds ?? 0
        }
        audioUntil = landing.itemTime
        timeline.jump(to: landing.itemTime, epoch: epoch, at: host)
        return landing
    }

    /// Where the data ends, if no frame follows those at the front of the queues: a seek beyond it lands there.
    private func dataEnd(_ pipeline: ItemPipeline, isReverse: Bool, _ picture: VideoFrame?) -> Int64? {
        var latest: Int64?
        if isReverse {
            // The picture at the front is the last one before the target.
            let duration = pipeline.description.duration.nanoseconds
            return duration.map { max($0, picture.map { Self.end(of: $0) } ?? 0) }
        }
        for branch in pipeline.branches {
            var element = branch.frames.peek()
            if case .video? = element { element = branch.frames.peek(1) }
            guard case .endOfPass(_, let end, _)? = element else { return nil }
            if let end { latest = max(latest ?? end, end) }
        }
        return latest
    }

    /// Another item's frames go on where this one's ended: time runs through, item time begins anew.
    mutating func follow(_ next: ItemPipeline, start: EpochStart, endOfLast: Int64) {
        let handed = ahead?.epoch == start.epoch ? ahead : nil
        let first = handed?.first ?? Self.begin(of: next, start)
        passStart = passStart &+ endOfLast &- first
        soundIsMisplaced = !wasForeseen(ahead)
        ahead = nil
        epoch = start.epoch
        pass = 0
        soundEndedIn = nil
        endWasReported = false
        awaitsPass = false
        videoUntil = first
        audioUntil = handed?.until ?? first
        audioTrim = nil
    }

    /// Item time at which an item begins that follows another one.
    static func begin(of next: ItemPipeline, _ start: EpochStart) -> Int64 {
        var earliest: Int64?
        for branch in next.branches {
            switch branch.frames.peek() {
            case .video(let frame)?: earliest = earlier(earliest, frame.presentationTime)
            case .audio(let buffer)?: earliest = earlier(earliest, buffer.presentationTime)
            case .endOfPass?, nil: continue
            }
        }
        return max(0, start.firstWanted?.nanoseconds ?? earliest ?? 0)
    }

    /// Item time up to which every track was delivered, at least `now`.
    func deliveredUntil(_ now: Int64) -> Int64 { max(now, videoUntil, audioUntil) }

    /// Other tracks of the same item go on from here. What was delivered is not delivered again.
    mutating func goOn(with next: ItemPipeline, epoch: Epoch, behind shown: MediaTime?, at host: HostTime) {
        self.epoch = epoch
        pass = 0
        soundEndedIn = nil
        endWasReported = false
        awaitsPass = false
        audioTrim = max(audioUntil, itemTime(at: host))
        guard let shown else { return }
        while case .video(let frame)? = next.video?.frames.peek(),
            isReverse ? frame.presentationTime >= shown : frame.presentationTime <= shown
        {
            next.video?.advance()
        }
    }

    private static func earlier(_ time: Int64?, _ other: MediaTime) -> Int64? {
        guard let other = other.nanoseconds else { return time }
        return min(time ?? other, other)
    }

    private static func end(of frame: VideoFrame) -> Int64 {
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

    /// Takes up to `count` pictures while standing still, and stands at the last of them.
    mutating func step(_ pipeline: ItemPipeline, atMost count: Int, at host: HostTime) -> (
        frames: [VideoFrame], isAtEnd: Bool
    ) {
        guard let branch = pipeline.video, !timeline.isRunning else { return ([], true) }
        var frames: [VideoFrame] = []
        while frames.count < count, case .video(let frame)? = branch.frames.peek(), frame.pass == pass {
            frames.append(frame)
            videoUntil = Self.end(of: frame)
            reverseEdge = frame.presentationTime.nanoseconds ?? reverseEdge
            branch.advance()
        }
        if let time = frames.last?.presentationTime.nanoseconds {
            timeline.jump(to: passStart &+ time, epoch: epoch, at: host)
            audioTrim = time
            audioUntil = time
        }
        if case .endOfPass? = branch.frames.peek() { return (frames, true) }
        return (frames, false)
    }

    /// Goes on into the next pass: item time is zero again where this one ended, and the timeline runs on.
    mutating func beginNextPass(_ pipeline: ItemPipeline) {
        guard let end = passEnd(pipeline) else { return }
        passStart &+= end.itemTime
        pass += 1
        endWasReported = false
        videoUntil = 0
        audioUntil = ahead?.until ?? 0
        for branch in pipeline.branches where ahead?.mark == nil || branch.track.mediaType != .audio {
            branch.advance()
        }
        soundIsMisplaced = !wasForeseen(ahead)
        ahead = nil
        awaitsPass = !hasNextPass(pipeline)
    }

    /// The pass was not at hand when the last one ended, for loop was switched on at the last moment: it
    /// begins when its first frame is there, rather than late.
    private mutating func resumePass(_ pipeline: ItemPipeline, at now: HostTime) {
        guard hasNextPass(pipeline) else { return }
        awaitsPass = false
        passStart = max(passStart, timeline.media(at: now))
    }

    private func hasNextPass(_ pipeline: ItemPipeline) -> Bool {
        pipeline.branches.contains { branch in
            switch branch.frames.peek() {
            case .video(let frame)?: frame.pass == pass
            case .audio(let buffer)?: buffer.pass == pass
            case .endOfPass(let pass, _, _)?: pass == self.pass
            case nil: false
            }
        }
    }
}

extension Renderer.Outcome {
    mutating func wake(at time: HostTime) {
        wakeAt = min(wakeAt ?? time, time)
    }
}
