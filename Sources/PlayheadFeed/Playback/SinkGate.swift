import Playhead

/// A gate in front of a sink that shows one clip after another. Only frames of the current clip pass.
///
/// Frames arrive on the lanes of several players. They are presented one at a time by the thread that finds the queue
/// idle; other threads do not wait. While the sink is busy, the newest frame of a player replaces the one that waits. A
/// sink with the policy `.holdBack` receives all frames, unless more than 64 MiB of them wait.
///
/// `@unchecked Sendable`: `started`, `poster`, `lastClip` and `isFinished` are only used by the thread that empties
/// the queue; `queue` and `failure` are locked.
final class SinkGate: @unchecked Sendable {
    /// The object that decides whether a frame may pass, and that is notified after it has passed.
    protocol Owner: AnyObject, Sendable {
        func shouldShow(_ binding: UInt64, isVideo: Bool) -> Bool
        func didShow(_ binding: UInt64, isVideo: Bool)
    }

    private struct Work {
        /// The number of the clip of a frame of a player, or nil for other work.
        let clip: UInt64?
        /// The size of that frame.
        let byteCount: Int
        let body: @Sendable () -> Void
    }

    private struct Queue {
        var waiting: [Work] = []
        var isBusy = false

        var byteCount: Int { waiting.reduce(0) { $0 + $1.byteCount } }
    }

    let sink: any VideoSink
    private weak let owner: (any Owner)?
    private let queue = Locked(Queue())
    private let failure = Locked<(any Error)?>(nil)
    private var started: VideoFormat?
    /// The poster that was presented last.
    private var poster: (binding: UInt64, shape: PosterShape)?
    /// The number of the clip that the sink was added or flushed for.
    private var lastClip: UInt64
    private var isFinished = false

    /// Creates a gate for a sink that is added while `binding` is the number of the current clip.
    init(_ sink: any VideoSink, owner: any Owner, binding: UInt64) {
        self.sink = sink
        self.owner = owner
        lastClip = binding
    }

    /// The largest total size of the frames that wait for a sink with the policy `.holdBack`, as in a layer.
    private static let maximumWaitingBytes = 64 << 20

    private func perform(
        frameOf clip: UInt64? = nil,
        byteCount: Int = 0,
        _ body: @escaping @Sendable () -> Void
    ) {
        let keepsFrames = sink.lateFramePolicy == .holdBack
        let isFirst = queue.withLock { queue in
            // The player does not wait for the sink, so frames for a slow sink would accumulate.
            let isKept = keepsFrames && queue.byteCount + byteCount <= Self.maximumWaitingBytes
            if let clip, queue.waiting.last?.clip == clip, !isKept { queue.waiting.removeLast() }
            queue.waiting.append(Work(clip: clip, byteCount: byteCount, body: body))
            defer { queue.isBusy = true }
            return !queue.isBusy
        }
        guard isFirst else { return }
        while let next = dequeue() { next.body() }
    }

    private func dequeue() -> Work? {
        queue.withLock { queue in
            queue.isBusy = !queue.waiting.isEmpty
            return queue.isBusy ? queue.waiting.removeFirst() : nil
        }
    }

    /// Presents a frame if its clip is the current one. Throws the error that the sink has thrown, now or before.
    ///
    /// - Parameter shape: The shape of a poster, which is presented once, or nil for a frame of the player.
    func present(_ frame: VideoFrame, of binding: UInt64, as shape: PosterShape? = nil) throws {
        let isVideo = shape == nil
        perform(frameOf: isVideo ? binding : nil, byteCount: frame.storage.byteCount) { [self] in
            guard !isFinished, let owner, owner.shouldShow(binding, isVideo: isVideo) else { return }
            if let shape, let poster, poster == (binding, shape) { return }
            beginClip(binding)
            poster = shape.map { (binding, $0) }
            do {
                if started != frame.format {
                    started = frame.format
                    try sink.start(frame.format)
                }
                try sink.present(frame)
                owner.didShow(binding, isVideo: isVideo)
            } catch {
                end()
                failure.withLock { $0 = error }
            }
        }
        if let error = failure.withLock({ $0 }) { throw error }
    }

    /// Flushes the sink for a seek in the clip.
    func flush(_ binding: UInt64) {
        perform { [self] in
            guard !isFinished, let owner, owner.shouldShow(binding, isVideo: true) else { return }
            lastClip = binding
            sink.flush()
        }
    }

    /// Flushes the sink for another clip, unless that has been done.
    func begin(_ binding: UInt64) {
        perform { [self] in
            guard !isFinished, let owner, owner.shouldShow(binding, isVideo: true) else { return }
            beginClip(binding)
        }
    }

    private func beginClip(_ binding: UInt64) {
        guard lastClip != binding else { return }
        lastClip = binding
        sink.flush()
    }

    func finish() { perform { [self] in end() } }

    private func end() {
        guard !isFinished else { return }
        isFinished = true
        sink.finish()
    }
}

/// The sink that a player layer has while it shows one clip.
final class BoundSink: VideoSink {
    private let gate: SinkGate
    private let binding: UInt64

    init(_ gate: SinkGate, _ binding: UInt64) {
        self.gate = gate
        self.binding = binding
    }

    func isBound(to gate: SinkGate) -> Bool { self.gate === gate }

    var acceptedPixelFormats: [PixelFormat] { gate.sink.acceptedPixelFormats }
    var appliesPreferredTrackTransform: Bool { gate.sink.appliesPreferredTrackTransform }
    var rendersSubtitles: Bool { gate.sink.rendersSubtitles }
    var lateFramePolicy: LateFramePolicy { gate.sink.lateFramePolicy }
    /// Does nothing. The gate starts the sink, because frames of another player may have been presented in between.
    func start(_ format: VideoFormat) {}
    func present(_ frame: VideoFrame) throws { try gate.present(frame, of: binding) }
    func flush() { gate.flush(binding) }
    /// Does nothing. The clip is removed, but the sink remains in use.
    func finish() {}
}
