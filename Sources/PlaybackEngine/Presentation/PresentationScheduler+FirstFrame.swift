import MediaCore

/// The start time of an epoch, which its first video frame determines, and steps from frame to frame.
extension PresentationScheduler {
    /// The frames at the front of the queues when an epoch begins.
    private struct FirstFrames {
        /// The earliest presentation time.
        var earliest: ItemTime?
        var video: VideoFrame?
    }

    /// Finds the start of the epoch once every track has a frame or has ended, and moves the timeline there. Returns
    /// nil before that.
    mutating func findFirstFrame(_ pipeline: ItemPipeline, start: EpochStart, at host: HostTime)
        -> FirstFrame?
    {
        guard let first = firstFrames(pipeline, start) else { return nil }
        let found = FirstFrame(itemTime: startTime(first, pipeline, start), frame: first.video)
        // A quick seek shows the key frame, and audio before it is cut off.
        if start.isQuick, first.video?.presentationTime.nanoseconds != nil {
            current.pass.audioTrim = found.itemTime
        }
        if let frame = first.video {
            pipeline.video?.advance()
            current.pass.recordDelivery(of: frame)
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
            // A track that begins far into the file must not delay the others.
            case nil:
                guard pipeline.isBlockedByOtherTracks(track, current.epoch) else { return nil }
                isWaiting = true
            }
        }
        return isWaiting && first.earliest == nil ? nil : first
    }

    /// Returns whether the frame ends before the requested time. Then a later frame or the end follows, which
    /// determines the start time.
    private func isTooEarly(_ frame: VideoFrame, _ track: TrackPipeline, _ start: EpochStart) -> Bool {
        guard let firstWanted = ItemTime(start.firstWanted), !start.isReverse else { return false }
        return Self.end(of: frame) < firstWanted && track.frames.peek(1) == nil
    }

    private func startTime(_ first: FirstFrames, _ pipeline: ItemPipeline, _ start: EpochStart) -> ItemTime {
        if let firstWanted = ItemTime(start.firstWanted) {
            let time = max(firstWanted, first.earliest ?? firstWanted)
            let end =
                start.isReverse
                ? reverseDataEnd(pipeline, first.video)
                : start.isScrubbing ? scrubbingDataEnd(pipeline, first.video) : dataEnd(pipeline)
            return min(time, end ?? time)
        }
        if start.isQuick, let time = ItemTime(first.video?.presentationTime) { return time }
        return max(.zero, first.earliest ?? .zero)
    }

    /// Returns the end of the data if no frame follows those at the front of the queues, or nil. A seek beyond the
    /// end starts there.
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

    /// Returns the same for backward playback: the frame at the front is the last one before the target.
    private func reverseDataEnd(_ pipeline: ItemPipeline, _ frame: VideoFrame?) -> ItemTime? {
        guard let duration = ItemTime(pipeline.description.duration) else { return nil }
        return max(duration, frame.map { Self.end(of: $0) } ?? .zero)
    }

    /// Returns the same while a user drags the position. Audio, which is not read, may be longer than the video.
    private func scrubbingDataEnd(_ pipeline: ItemPipeline, _ frame: VideoFrame?) -> ItemTime? {
        dataEnd(pipeline).map { max($0, reverseDataEnd(pipeline, frame) ?? $0) }
    }

    /// Removes up to `count` frames while the timeline is stopped.
    mutating func step(_ pipeline: ItemPipeline, atMost count: Int) -> (frames: [VideoFrame], isAtEnd: Bool) {
        guard let track = pipeline.video, !timeline.isRunning else { return ([], true) }
        var frames: [VideoFrame] = []
        while frames.count < count, case .video(let frame)? = track.frames.peek(), frame.pass == pass {
            frames.append(frame)
            current.pass.recordDelivery(of: frame)
            track.advance()
        }
        if let last = frames.last, !isReverse { discardAudio(of: pipeline, before: last) }
        if case .endOfPass? = track.frames.peek() { return (frames, true) }
        return (frames, false)
    }

    /// Discards audio that is stepped over. It is not heard, and must not fill the read-ahead limits.
    private func discardAudio(of pipeline: ItemPipeline, before frame: VideoFrame) {
        guard let audio = pipeline.audio, let time = ItemTime(frame.presentationTime) else { return }
        while case .audio(let buffer)? = audio.frames.peek(), buffer.pass == pass,
            let start = ItemTime(buffer.presentationTime),
            start + (buffer.duration.nanoseconds ?? 0) <= time
        {
            audio.advance()
        }
    }

    /// Moves the timeline to a frame that was stepped to, and stops it there.
    mutating func moveTimeline(to frame: VideoFrame, at host: HostTime) {
        guard let time = ItemTime(frame.presentationTime) else { return }
        timeline.jump(to: origin.timelineTime(of: time), epoch: current.epoch, at: host)
        current.pass.audioTrim = time
        current.pass.audioUntil = time
    }
}

extension EpochStart {
    /// A Boolean value that indicates whether the seek shows the key frame nearest to its target. At the start of the
    /// item no key frame is searched for: playback begins as it does without a seek, with audio from before the first
    /// video frame.
    fileprivate var isQuick: Bool { firstWanted == nil && demuxTarget.map { $0 > .zero } ?? false }
}
