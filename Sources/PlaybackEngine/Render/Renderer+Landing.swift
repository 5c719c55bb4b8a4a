import MediaCore

/// Where time stands: at the first picture of an epoch, and from picture to picture.
extension Renderer {
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
}
