import MediaCore

/// Where time stands: at the first video frame of an epoch, and from frame to frame.
extension PresentationScheduler {
    /// What lies at the front of the queues when an epoch begins.
    private struct FirstFrames {
        /// The earliest presentation time.
        var earliest: ItemTime?
        var video: VideoFrame?
    }

    /// Finds where the epoch begins, once every track has shown something, and stands the timeline there. nil: not
    /// yet.
    mutating func findFirstFrame(_ pipeline: ItemPipeline, start: EpochStart, at host: HostTime)
        -> FirstFrame?
    {
        guard let first = firstFrames(pipeline, start) else { return nil }
        let found = FirstFrame(itemTime: startTime(first, pipeline, start), frame: first.video)
        // A quick seek lands on the key frame; audio from before it is cut off.
        if start.isQuick, first.video?.presentationTime.nanoseconds != nil {
            current.pass.audioTrim = found.itemTime
        }
        if let frame = first.video {
            pipeline.video?.advance()
            current.pass.noteDelivery(of: frame)
        }
        current.pass.audioUntil = found.itemTime
        timeline.jump(to: origin.timelineTime(of: found.itemTime), epoch: current.epoch, at: host)
        return found
    }

    private func firstFrames(_ pipeline: ItemPipeline, _ start: EpochStart) -> FirstFrames? {
        var first = FirstFrames()
        var isWaiting = false
        for track in pipeline.trackPipelines {
            switch track.frames.peek() {
            case .video(let frame)?:
                if isTooEarly(frame, track, start) { return nil }
                first.video = frame
                first.earliest = Self.earlier(first.earliest, frame.presentationTime)
            case .audio(let buffer)?:
                first.earliest = Self.earlier(first.earliest, buffer.presentationTime)
            case .endOfPass?: continue
            // A track that begins far into the file must not hold up the others.
            case nil:
                guard pipeline.isBlockedByOtherTracks(track, current.epoch) else { return nil }
                isWaiting = true
            }
        }
        return isWaiting && first.earliest == nil ? nil : first
    }

    /// The frame ends before the time that is wanted. A later frame follows, or the end, and only that decides
    /// where time stands.
    private func isTooEarly(_ frame: VideoFrame, _ track: TrackPipeline, _ start: EpochStart) -> Bool {
        guard let wanted = ItemTime(start.firstWanted), !start.isReverse else { return false }
        return Self.end(of: frame) < wanted && track.frames.peek(1) == nil
    }

    private func startTime(_ first: FirstFrames, _ pipeline: ItemPipeline, _ start: EpochStart) -> ItemTime {
        if let wanted = ItemTime(start.firstWanted) {
            let time = max(wanted, first.earliest ?? wanted)
            let end = start.isReverse ? reverseDataEnd(pipeline, first.video) : dataEnd(pipeline)
            return min(time, end ?? time)
        }
        if start.isQuick, let time = ItemTime(first.video?.presentationTime) { return time }
        return max(.zero, first.earliest ?? .zero)
    }

    /// Where the data ends, if no frame follows those at the front of the queues: a seek beyond it lands there.
    private func dataEnd(_ pipeline: ItemPipeline) -> ItemTime? {
        var latest: ItemTime?
        for track in pipeline.trackPipelines {
            var element = track.frames.peek()
            if case .video? = element { element = track.frames.peek(1) }
            guard case .endOfPass(_, let end, _)? = element else { return nil }
            if let end = end.map(ItemTime.init(nanoseconds:)) { latest = max(latest ?? end, end) }
        }
        return latest
    }

    /// The same backward: the frame at the front is the last one before the target.
    private func reverseDataEnd(_ pipeline: ItemPipeline, _ frame: VideoFrame?) -> ItemTime? {
        guard let duration = ItemTime(pipeline.description.duration) else { return nil }
        return max(duration, frame.map { Self.end(of: $0) } ?? .zero)
    }

    /// Takes up to `count` frames while standing still.
    mutating func step(_ pipeline: ItemPipeline, atMost count: Int) -> (frames: [VideoFrame], isAtEnd: Bool) {
        guard let track = pipeline.video, !timeline.isRunning else { return ([], true) }
        var frames: [VideoFrame] = []
        while frames.count < count, case .video(let frame)? = track.frames.peek(), frame.pass == pass {
            frames.append(frame)
            current.pass.noteDelivery(of: frame)
            track.advance()
        }
        if let last = frames.last, !isReverse { discardAudio(of: pipeline, before: last) }
        if case .endOfPass? = track.frames.peek() { return (frames, true) }
        return (frames, false)
    }

    /// Audio that is stepped over is not heard, and must not fill the bounds up to which is read.
    private func discardAudio(of pipeline: ItemPipeline, before frame: VideoFrame) {
        guard let audio = pipeline.audio, let time = ItemTime(frame.presentationTime) else { return }
        while case .audio(let buffer)? = audio.frames.peek(), buffer.pass == pass,
            let start = ItemTime(buffer.presentationTime),
            start + (buffer.duration.nanoseconds ?? 0) <= time
        {
            audio.advance()
        }
    }

    /// Stands at a frame that was stepped to.
    mutating func moveTimeline(to frame: VideoFrame, at host: HostTime) {
        guard let time = ItemTime(frame.presentationTime) else { return }
        timeline.jump(to: origin.timelineTime(of: time), epoch: current.epoch, at: host)
        current.pass.audioTrim = time
        current.pass.audioUntil = time
    }
}

extension EpochStart {
    /// The key frame nearest to the target is shown, whichever it is. At the start no such frame is looked for: playing begins
    /// where it began the first time, with audio from before the first picture.
    fileprivate var isQuick: Bool { firstWanted == nil && demuxTarget.map { $0 > .zero } ?? false }
}
