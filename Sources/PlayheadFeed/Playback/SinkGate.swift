import Playhead

/// A sink that serves one clip after the other: frames of another clip than the present one do not pass.
///
/// Frames come on lanes of several players. They are handed on one at a time, by whoever is there; nobody waits.
///
/// `@unchecked Sendable`: `started`, `isOver` and `failure` are touched by the one who hands on; `queue` is locked.
final class SinkGate: @unchecked Sendable {
    /// Says whether a frame may pass, and is told that one has.
    protocol Owner: AnyObject, Sendable {
        func mayShow(_ binding: UInt64, isVideo: Bool) -> Bool
        func hasShown(_ binding: UInt64, isVideo: Bool)
    }

    private struct Queue {
        var waiting: [@Sendable () -> Void] = []
        var isBusy = false
    }

    let sink: any VideoSink
    private weak let keeper: (any Owner)?
    private let queue = Locked(Queue())
    private let failure = Locked<(any Error)?>(nil)
    private var started: VideoFormat?
    private var isOver = false

    init(_ sink: any VideoSink, keeper: any Owner) {
        self.sink = sink
        self.keeper = keeper
    }

    private func perform(_ work: @escaping @Sendable () -> Void) {
        let isMine = queue.withLock { queue in
            queue.waiting.append(work)
            defer { queue.isBusy = true }
            return !queue.isBusy
        }
        guard isMine else { return }
        while let next = takeNext() { next() }
    }

    private func takeNext() -> (@Sendable () -> Void)? {
        queue.withLock { queue in
            queue.isBusy = !queue.waiting.isEmpty
            return queue.isBusy ? queue.waiting.removeFirst() : nil
        }
    }

    /// Throws what the sink threw, now or before.
    func present(_ frame: VideoFrame, of binding: UInt64, isVideo: Bool) throws {
        perform { [self] in
            guard !isOver, let keeper, keeper.mayShow(binding, isVideo: isVideo) else { return }
            do {
                if started != frame.format {
                    started = frame.format
                    try sink.start(frame.format)
                }
                try sink.present(frame)
                keeper.hasShown(binding, isVideo: isVideo)
            } catch {
                end()
                failure.withLock { $0 = error }
            }
        }
        if let error = failure.withLock({ $0 }) { throw error }
    }

    func flush(_ binding: UInt64) {
        perform { [self] in
            if !isOver, let keeper, keeper.mayShow(binding, isVideo: true) { sink.flush() }
        }
    }

    func finish() { perform { [self] in end() } }

    private func end() {
        guard !isOver else { return }
        isOver = true
        sink.finish()
    }
}

/// What a player's layer has for a sink while it shows one clip.
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
    var lateFramePolicy: LateFramePolicy { gate.sink.lateFramePolicy }
    /// The gate does, where the frames of another player may have come between.
    func start(_ format: VideoFormat) {}
    func present(_ frame: VideoFrame) throws { try gate.present(frame, of: binding, isVideo: true) }
    func flush() { gate.flush(binding) }
    /// The clip leaves; the sink stays.
    func finish() {}
}
