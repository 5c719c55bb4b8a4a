import MediaCore
import PlayheadBackend

/// Delivers the decoder's output to the frame queue, or to the collector during reverse playback.
extension DecodeStage {
    func deliver(_ frame: VideoFrame) {
        history.receive(frame)
        framesSinceDrain += 1
        newestFormat = frame.format
        if let time = current.newParametersTime, frame.presentationTime >= time {
            current.newParametersTime = nil
        }
        packetsInDecoder.removeAll { $0.presentationTime.map { $0 <= frame.presentationTime } ?? true }
        var frame = stamped(frame)
        skipper.noteOutput(frame.presentationTime)
        if current.collector != nil {
            frame.isReversed = true
            frame.pass = 0
            current.collector?.append(frame)
            return
        }
        if isPastEnd(frame.presentationTime) { return }
        let result = current.filter.filter(frame)
        if result.isLate { startedLate() }
        for frame in result.frames { push(frame) }
        resolveSeek()
        guard current.awaitsPreview else { return }
        if current.filter.isSearching { showPreview(frame) } else { current.awaitsPreview = false }
    }

    func stamped(_ frame: VideoFrame) -> VideoFrame {
        var frame = frame
        frame.epoch = current.epoch
        frame.pass = current.pass.number
        return frame
    }

    func push(_ frame: VideoFrame) {
        let length = frame.duration.nanoseconds ?? previousFrameInterval(frame)
        if let time = frame.presentationTime.nanoseconds {
            current.pass.lastTime = time
            current.pass.noteEnd(time &+ length)
        }
        let cost = QueueCost(bytes: frame.storage.byteCount, duration: length)
        output.push(.video(frame), cost: cost, epoch: current.epoch)
        report(.delivered)
    }

    /// The duration of a frame that declares none is the interval since the previous frame.
    private func previousFrameInterval(_ frame: VideoFrame) -> Int64 {
        guard let lastTime = current.pass.lastTime, let time = frame.presentationTime.nanoseconds else {
            return 0
        }
        return max(0, min(time &- lastTime, 10_000_000_000))
    }

    func deliver(_ buffer: AudioBuffer) {
        var buffer = buffer
        buffer.epoch = current.epoch
        buffer.pass = current.pass.number
        if let end = endTime.withLock({ $0 }) { buffer = ending(buffer, at: end) }
        // Also before the target: if the target lies after the end of the data, the end is what the seek needs.
        if buffer.frameCount > 0, let time = buffer.presentationTime.nanoseconds {
            current.pass.noteEnd(time &+ (buffer.duration.nanoseconds ?? 0))
        }
        let result = current.filter.filter(buffer)
        if result.isLate { startedLate() }
        guard let buffer = result.buffer, buffer.frameCount > 0 else { return }
        output.push(.audio(buffer), cost: QueueCost(buffer), epoch: current.epoch)
        report(.delivered)
    }

    /// Returns the part of a buffer before the end time.
    ///
    /// Timestamps in whole milliseconds make a buffer begin up to a millisecond before the end of the previous one. If
    /// that one was cut, the samples that follow are those after the end.
    private func ending(_ buffer: AudioBuffer, at end: MediaTime) -> AudioBuffer {
        if current.pass.hasCutAudio { return buffer.trimmed(first: buffer.frameCount) }
        let kept = buffer.ending(at: end)
        if kept.frameCount > 0, kept.frameCount < buffer.frameCount { current.pass.hasCutAudio = true }
        return kept
    }

    func isPastEnd(_ time: MediaTime) -> Bool {
        endTime.withLock { $0.map { time >= $0 } ?? false }
    }

    private func startedLate() {
        guard mayStartEarlier else { return }
        report(.startedLate(current.epoch))
    }

    private var mayStartEarlier: Bool { !start.withLock { $0.isLastAttempt } }

    /// Finishes a pass, or a segment during reverse playback, after all its packets have been decoded.
    func finishPass() {
        if let collector = current.collector {
            guard !collector.isKept || output.hasCapacity else {
                current.isSegmentDecoded = true
                return
            }
            return finishSegment(collector)
        }
        let pass = current.pass
        // Decoding began at the last key frame, and only that frame could not be decoded. The seek is repeated
        // from an earlier key frame in a new epoch.
        if isVideo, current.filter.hasReceivedNothing, pass.drainError == nil, mayStartEarlier {
            current.pass.isDraining = false
            return startedLate()
        }
        // The frame due at the target is the last one of the data.
        if let last = current.filter.drain() { push(last) }
        resetAfterDrain()
        output.push(
            .endOfPass(pass.number, end: current.pass.lastEnd, pass.drainError),
            cost: QueueCost(bytes: 0, duration: 0),
            epoch: current.epoch
        )
        current.pass = PassState(number: pass.number)
        current.filter.begin(at: nil)
        report(.changed)
    }

    /// Resets the drained decoder. The next packet is a sync point.
    private func resetAfterDrain() {
        flush()
        framesSinceDrain = 0
        skipper.begin()
        countSkipped()
    }

    private func finishSegment(_ collected: ReverseCollector) {
        let error = current.pass.drainError
        current.pass.isDraining = false
        current.pass.drainError = nil
        var (frames, next) = collected.finish(reverseEnd: reverseEnd.withLock { $0 })
        // Frames later than the playback position are not worth decoding any more.
        let request = skipRequest.withLock { $0 }
        if request.epoch == current.epoch, request.skipping == .allButKeyFrames, let segment = next,
            request.position > .zero
        {
            next = segment.skipping(to: request.position.mediaTime)
        }
        resetAfterDrain()
        for frame in frames { push(frame) }
        if let next, error == nil {
            current.collector = ReverseCollector(next)
            reverseRequest.withLock { $0 = next }
            wakeDemuxer()
        } else {
            let end = FrameElement.endOfPass(0, end: 0, error)
            output.push(end, cost: QueueCost(bytes: 0, duration: 0), epoch: current.epoch)
        }
        report(.changed)
    }
}
