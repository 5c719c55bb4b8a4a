import MediaCore

/// Where a pass ends, and how what follows is laid behind it.
extension Renderer {
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
    mutating func resumePass(_ pipeline: ItemPipeline, at now: HostTime) {
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
