import MediaCore

/// A device needs its samples before they are due, so at a seam the next pass's (or item's) sound goes to it
/// before the seam is reached.
struct SoundAhead {
    /// The end mark of the sound's pass, where it was taken out of the queue.
    var mark: Mark?
    /// Of the frames behind the seam.
    var epoch: Epoch
    /// Where on the timeline their item time zero lies.
    var origin: Int64
    /// The item time at which they begin.
    var first: Int64
    /// Up to where they were handed over, in item time.
    var until: Int64

    struct Mark {
        var last: Int64?
        var error: MediaError?
    }
}

extension Renderer {
    /// The next pass of a loop, which lies decoded behind the end mark.
    mutating func lookBeyondSeam(
        _ pipeline: ItemPipeline,
        _ branch: Branch,
        _ now: HostTime,
        _ outcome: inout Outcome
    ) {
        guard !endWasReported else { return }
        if ahead == nil {
            guard replacedFrom == nil, case .endOfPass(pass, let last, let error)? = branch.frames.peek(),
                case .audio(let next)? = branch.frames.peek(1), next.pass == pass + 1,
                error == nil, let end = foreseenEnd(pipeline, soundEnd: last)
            else { return }
            ahead = SoundAhead(
                mark: SoundAhead.Mark(last: last, error: error),
                epoch: epoch,
                origin: passStart &+ end,
                first: 0,
                until: 0
            )
            branch.advance()
        }
        guard ahead?.mark != nil else { return }
        takeAhead(branch, pass: pass + 1, now, &outcome)
    }

    /// The item that follows, whose first frames lie decoded.
    mutating func lookBeyondSeam(
        _ pipeline: ItemPipeline,
        into next: ItemPipeline,
        _ start: EpochStart,
        at now: HostTime,
        _ outcome: inout Outcome
    ) {
        guard audioLead > 0, timeline.isRunning, !isReverse, !endWasReported, replacedFrom == nil,
            let branch = next.audio
        else { return }
        if ahead == nil {
            var soundEnd: Int64?
            if let sound = pipeline.audio {
                guard case .endOfPass(pass, let last, nil)? = sound.frames.peek() else { return }
                soundEnd = last
            }
            guard let end = foreseenEnd(pipeline, soundEnd: soundEnd) else { return }
            let first = Self.begin(of: next, start)
            ahead = SoundAhead(
                epoch: start.epoch,
                origin: passStart &+ end &- first,
                first: first,
                until: first
            )
        }
        guard ahead?.epoch == start.epoch, ahead?.mark == nil else { return }
        takeAhead(branch, pass: 0, now, &outcome)
    }

    /// Where the pass will end, by what was read of it: its last pictures need not be decoded yet.
    private func foreseenEnd(_ pipeline: ItemPipeline, soundEnd: Int64?) -> Int64? {
        var end = soundEnd ?? 0
        if let video = pipeline.video {
            if case .endOfPass(pass, let last, let error)? = video.frames.peek() {
                guard error == nil else { return nil }
                end = max(end, last ?? 0)
            } else {
                guard let last = pipeline.progress.pictureEnd(ofPass: pass) else { return nil }
                end = max(end, last)
            }
        }
        return endTime.map { min($0, end) } ?? end
    }

    private mutating func takeAhead(
        _ branch: Branch,
        pass: Int,
        _ now: HostTime,
        _ outcome: inout Outcome
    ) {
        guard let origin = ahead?.origin else { return }
        while case .audio(let buffer)? = branch.frames.peek(), buffer.pass == pass {
            let start = buffer.presentationTime.nanoseconds ?? 0
            let due = (timeline.host(for: origin &+ start) ?? now).advanced(by: -audioLead)
            guard due <= now else {
                outcome.wake(at: due)
                return
            }
            branch.advance()
            ahead?.until = start &+ (buffer.duration.nanoseconds ?? 0)
            outcome.sound.append(Sound(buffer: buffer, origin: origin))
        }
    }

    /// The seam has come: was the sound beyond it handed over for the right moment? A millisecond is no matter.
    func wasForeseen(_ ahead: SoundAhead?) -> Bool {
        guard let ahead else { return true }
        return (ahead.origin &- passStart).magnitude < 1_000_000
    }

    /// Nothing more of the sound comes before something else happens.
    func soundHasEnded(_ pipeline: ItemPipeline) -> Bool {
        guard !isReverse, let branch = pipeline.audio else { return true }
        if let ahead {
            guard ahead.until == ahead.first else { return false }
            if ahead.mark != nil { return true }
        }
        guard case .endOfPass(pass, _, _)? = branch.frames.peek() else { return false }
        return true
    }
}
