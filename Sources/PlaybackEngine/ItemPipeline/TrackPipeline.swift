import MediaCore
import PlayheadBackend
import Synchronization

/// The part of a pipeline that belongs to one track, from packets to frames.
final class TrackPipeline: Sendable {
    let track: Track
    let packets: PacketQueue
    let frames: FrameQueue
    let stage: DecodeStage
    let runner: StageRunner
    /// Resumes the decoders of all tracks.
    private let wakeAll: @Sendable () -> Void

    init(
        track: Track,
        packets: PacketQueue,
        frames: FrameQueue,
        stage: DecodeStage,
        runner: StageRunner,
        wakeAll: @escaping @Sendable () -> Void
    ) {
        self.wakeAll = wakeAll
        self.track = track
        self.packets = packets
        self.frames = frames
        self.stage = stage
        self.runner = runner
    }

    /// A Boolean value that indicates whether no frame is available and none is being decoded. The order of the
    /// conditions matters: a packet that has left `packets` has become a frame before the stage is idle.
    var isEmpty: Bool {
        packets.isEmpty && stage.isIdle.load(ordering: .sequentiallyConsistent) && frames.isEmpty
    }

    /// Removes the frame at the front, and lets the decoder fill the space unless it is paused.
    @discardableResult
    func advance() -> FrameElement? {
        let element = frames.pop()?.element
        if !isPausedAfterBurst {
            runner.wake()
        } else if frames.isWithinLimits {
            // All decoders are woken together, because waking threads costs more than their work.
            wakeAll()
        }
        return element
    }

    /// Puts audio that `advance` has removed back in front of the frames, in its order. Does nothing if it belongs to
    /// another epoch.
    func restore(_ buffers: [AudioBuffer], epoch: Epoch) {
        let elements = buffers.map { (element: FrameElement.audio($0), cost: QueueCost($0)) }
        frames.restore(elements, epoch: epoch)
    }

    /// A Boolean value that indicates whether the decoder has packets and space for frames.
    var isDecoding: Bool {
        frames.hasCapacity && !packets.isEmpty && !isPausedAfterBurst
    }

    /// A Boolean value that indicates whether the decoder is paused until fewer frames are queued.
    var isPausedAfterBurst: Bool { stage.isPausedAfterBurst.load(ordering: .sequentiallyConsistent) }

    func resumeDecoder() {
        stage.isPausedAfterBurst.store(false, ordering: .sequentiallyConsistent)
        runner.wake()
    }
}
