import MediaCore
import PlayheadBackend

/// What comes out of the decoder: to the frame queue, or to the collector while playing backward.
extension DecodeStage {
    func deliver(_ frame: VideoFrame) {
        history.receive(frame)
        framesSinceFlush += 1
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

    /// A frame that does not say how long it is due is due as long as the one before was.
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
        if let end = endTime.withLock({ $0 }) { buffer = buffer.ending(at: end) }
        // Before the wanted time too: behind the end of the data it is the end that is wanted.
        if buffer.frameCount > 0, let time = buffer.presentationTime.nanoseconds {
            current.pass.noteEnd(time &+ (buffer.duration.nanoseconds ?? 0))
        }
        let result = current.filter.filter(buffer)
        if result.isLate { startedLate() }
        guard let buffer = result.buffer, buffer.frameCount > 0 else { return }
        let length = buffer.duration.nanoseconds ?? 0
        let bytes = buffer.frameCount &* buffer.format.bytesPerFrame
        output.push(.audio(buffer), cost: QueueCost(bytes: bytes, duration: length), epoch: current.epoch)
        report(.delivered)
    }

    private func isPastEnd(_ time: MediaTime) -> Bool {
        endTime.withLock { $0.map { time >= $0 } ?? false }
    }

    private func startedLate() {
        guard mayStartEarlier else { return }
        report(.startedLate(current.epoch))
    }

    private var mayStartEarlier: Bool { !start.withLock { $0.isLastAttempt } }

    /// All packets of the pass, or of the segment while playing backward, have been decoded.
    func finishPass() {
        if let collector = current.collector { return finishSegment(collector) }
        let pass = current.pass
        // Decoding began at the last key frame, and that one alone could not be decoded: what is due is found
        // from an earlier one, in a new epoch.
        if isVideo, current.filter.hasReceivedNothing, pass.drainError == nil, mayStartEarlier {
            current.pass.isDraining = false
            return startedLate()
        }
        // The frame that was due at the target is the last one, and nothing came after it.
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

    /// The decoder gave all that it had. What comes next is a sync point.
    private func resetAfterDrain() {
        flush()
        framesSinceFlush = 0
        skipper.begin()
        countSkipped()
    }

    private func finishSegment(_ collected: ReverseCollector) {
        let error = current.pass.drainError
        current.pass.isDraining = false
        current.pass.drainError = nil
        var (frames, next) = collected.finish(reverseEnd: reverseEnd.withLock { $0 })
        // Nothing that has been passed is worth decoding.
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
