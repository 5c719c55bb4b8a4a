import MediaCore

/// The end of a pass, and the continuation after it.
extension PresentationScheduler {
    /// Returns the end of the current pass, once every track has reached its end.
    func passEnd(_ pipeline: ItemPipeline) -> PassEnd? {
        var end = PassEnd(itemTime: .zero, error: nil)
        var hasFrames = false
        for track in pipeline.trackPipelines {
            guard let (last, error) = endMark(track) else { return nil }
            if let last {
                hasFrames = true
                end.itemTime = max(end.itemTime, last)
            }
            end.error = end.error ?? error
        }
        if isReverse {
            end.itemTime = ends.reverse
            return end
        }
        if let limit = ends.forward { end.itemTime = min(end.itemTime, limit) }
        // After a seek beyond the last frame, the pass ends at the timeline's current time.
        if !hasFrames { end.itemTime = deliveredUntil(end.itemTime) }
        return end
    }

    /// Returns the end of the current pass for one track, or nil if it is not known yet.
    private func endMark(_ track: TrackPipeline) -> (last: ItemTime?, error: MediaError?)? {
        if track.track.mediaType == .audio, let mark = audioPrefetch?.mark { return (mark.last, mark.error) }
        guard case .endOfPass(pass, let last, let error)? = track.frames.elementInfo() else { return nil }
        return (last.map(ItemTime.init(nanoseconds:)), error)
    }

    /// Continues with another item's frames at the end of this one's: the timeline runs on, and item time starts at
    /// the item's beginning.
    mutating func follow(_ next: ItemPipeline, start: EpochStart, endOfLast: ItemTime) {
        let prefetched = audioPrefetch?.epoch == start.epoch ? audioPrefetch : nil
        let first = prefetched?.first ?? Self.begin(of: next, start)
        let origin = PassOrigin(first, at: origin.timelineTime(of: endOfLast))
        // Audio of the next pass was prefetched, and looping was disabled after that.
        let isOfOtherPass = audioPrefetch != nil && prefetched == nil
        current = PresentationEpoch(
            epoch: start.epoch,
            pass: PresentationPass(
                origin: origin,
                videoUntil: first,
                audioUntil: prefetched?.until ?? first,
                audioIsVoid: isOfOtherPass,
                audioIsMisplaced: isMisplaced(prefetched, origin: origin)
            )
        )
    }

    /// Continues with the frames of an interstitial at a timeline time: the timeline runs on, and item time starts at the
    /// item's beginning.
    mutating func follow(_ interstitial: ItemPipeline, start: EpochStart, at time: TimelineTime) {
        let first = Self.begin(of: interstitial, start)
        current = PresentationEpoch(
            epoch: start.epoch,
            pass: PresentationPass(
                origin: PassOrigin(first, at: time),
                videoUntil: first,
                audioUntil: first
            )
        )
    }

    /// Returns the item time at which an item begins that follows another one.
    static func begin(of next: ItemPipeline, _ start: EpochStart) -> ItemTime {
        var earliest: ItemTime?
        for track in next.trackPipelines {
            switch track.frames.peek() {
            case .video(let frame)?: earliest = earlier(earliest, frame.presentationTime)
            case .audio(let buffer)?: earliest = earlier(earliest, buffer.presentationTime)
            case .endOfPass?, nil: continue
            }
        }
        return max(.zero, ItemTime(start.firstWanted) ?? earliest ?? .zero)
    }

    /// Continues the pass with other tracks of the same item. Media that were delivered are not delivered again,
    /// except void audio.
    mutating func continuePass(
        with next: ItemPipeline,
        epoch: Epoch,
        after shown: MediaTime?,
        at host: HostTime
    ) {
        current = PresentationEpoch(
            epoch: epoch,
            isReverse: isReverse,
            pass: current.pass.continued(from: current.epoch, at: itemTime(at: host))
        )
        guard let shown else { return }
        if !isReverse {
            // The frame may have been the last one of the previous pass.
            guard let time = ItemTime(shown), time <= current.pass.videoUntil else { return }
            current.pass.shownUntil = shown
        }
        while case .video(let frame)? = next.video?.frames.peek(),
            isReverse ? frame.presentationTime >= shown : frame.presentationTime <= shown
        {
            next.video?.advance()
        }
    }

    /// Begins the next pass: item time is zero at the end of this pass, and the timeline runs on.
    mutating func beginNextPass(_ pipeline: ItemPipeline) {
        guard let end = passEnd(pipeline) else { return }
        let audioMarkIsDequeued = audioPrefetch?.mark != nil
        for track in pipeline.trackPipelines where !audioMarkIsDequeued || track.track.mediaType != .audio {
            track.advance()
        }
        let origin = PassOrigin(at: origin.timelineTime(of: end.itemTime))
        current.pass = PresentationPass(
            number: pass + 1,
            origin: origin,
            audioUntil: audioPrefetch?.until ?? .zero,
            audioIsMisplaced: isMisplaced(audioPrefetch, origin: origin)
        )
        current.pass.isAwaitingFrames = !hasNextPass(pipeline)
    }

    /// Begins a pass whose frames were not available when the last one ended, because looping was enabled shortly
    /// before the end. It starts with its first frame instead of late.
    mutating func resumePass(_ pipeline: ItemPipeline, at now: HostTime) {
        guard hasNextPass(pipeline) else { return }
        current.pass.isAwaitingFrames = false
        current.pass.origin = PassOrigin(at: max(origin.itemZero, timeline.media(at: now)))
    }

    private func hasNextPass(_ pipeline: ItemPipeline) -> Bool {
        pipeline.trackPipelines.contains { track in
            switch track.frames.peek() {
            case .video(let frame)?: frame.pass == pass
            case .audio(let buffer)?: buffer.pass == pass
            case .endOfPass(let pass, _, _)?: pass == self.pass
            case nil: false
            }
        }
    }
}
