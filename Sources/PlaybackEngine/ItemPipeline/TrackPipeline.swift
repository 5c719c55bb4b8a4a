import MediaCore
import PlayheadBackend
import Synchronization

/// One track's way from packets to frames.
final class TrackPipeline: Sendable {
    let track: Track
    let packets: PacketQueue
    let frames: FrameQueue
    let stage: DecodeStage
    let runner: StageRunner
    /// Ends the rest of all tracks.
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

    /// No frame is there and none is on its way. The order of the questions counts: what was taken from
    /// `packets` lies in `frames` before the stage is idle.
    var isEmpty: Bool {
        packets.isEmpty && stage.isIdle.load(ordering: .sequentiallyConsistent) && frames.isEmpty
    }

    /// Takes the frame at the front out and lets the decoder fill the place, if it does not rest.
    @discardableResult
    func advance() -> FrameElement? {
        let element = frames.pop()?.element
        if !isPausedAfterBurst {
            runner.wake()
        } else if frames.isWithinLimits {
            // Together, for each time that threads wake up costs more than what is to be done.
            wakeAll()
        }
        return element
    }

    /// The decoder has packets, and room for frames.
    var isDecoding: Bool {
        frames.hasCapacity && !packets.isEmpty && !isPausedAfterBurst
    }

    /// The decoder sleeps until there are fewer frames.
    var isPausedAfterBurst: Bool { stage.isPausedAfterBurst.load(ordering: .sequentiallyConsistent) }

    func resumeDecoder() {
        stage.isPausedAfterBurst.store(false, ordering: .sequentiallyConsistent)
        runner.wake()
    }
}
