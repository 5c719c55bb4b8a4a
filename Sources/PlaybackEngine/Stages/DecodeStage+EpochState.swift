import DequeModule
import MediaCore
import PlayheadBackend

extension DecodeStage {
    /// The state of one epoch. A new epoch replaces it as a whole.
    struct EpochState {
        let epoch: Epoch
        /// The element that was removed from the input and that the decoder has not yet accepted.
        var pendingInput: (packet: Packet?, end: MediaError?)?
        var pass = PassState()
        var filter = SeekFilter()
        /// The time whose frame is searched for, or nil.
        let target: MediaTime?
        /// The end of the data, as far as the seek knows it.
        let end: MediaTime?
        /// Non-nil while the decoder continues from the preceding epoch, until a new packet arrives.
        var resumption: DecoderResumption?
        /// Elements that are decoded before those of the input.
        var backlog: Deque<PacketElement> = []
        var consecutiveFaults = 0
        /// Non-nil during reverse playback.
        var collector: ReverseCollector?
        /// True if a segment of reverse playback has been decoded ahead, and waits until the output has capacity.
        var isSegmentDecoded = false
        /// Whether a user drags the position.
        let isScrubbing: Bool
        /// Whether a frame near the target is to be shown before the one at the target is found.
        var awaitsPreview: Bool
        /// The distance from the target to the frame being shown. A preview is nearer.
        let shownDistance: MediaTime
        /// The length of the last move of a forward drag, for which frames are decoded ahead; zero for other seeks.
        var dragDistance = MediaTime.zero
        /// Non-nil while packets are not decoded because the video is not watched.
        var undecoded: UndecodedFrames?
        /// The time of the last packet with other parameters, until a frame of the new format has been decoded.
        var newParametersTime: MediaTime?
        /// After decoding has resumed at a key frame, the time of that frame.
        var leadingFrameLimit: MediaTime?

        init(_ start: EpochStart) {
            epoch = start.epoch
            target = start.firstWanted
            end = start.demuxTarget
            isScrubbing = start.isScrubbing
            awaitsPreview = start.previewDistance != nil
            shownDistance = start.previewDistance ?? .zero
            filter.begin(at: start.firstWanted)
            if start.isReverse { collector = ReverseCollector(ReverseSegment(start)) }
        }
    }

    /// The state of one pass through the item.
    struct PassState {
        var number = 0
        var isDraining = false
        /// The error that ended the data of the pass early.
        var drainError: MediaError?
        /// The end of the last frame, and the start of the last video frame, in nanoseconds of item time.
        var lastEnd: Int64?
        var lastTime: Int64?
        var hasGivenUp = false
        /// Whether an audio buffer has been cut at the end time, so that no sample may follow.
        var hasCutAudio = false

        mutating func noteEnd(_ end: Int64) { lastEnd = max(lastEnd ?? .min, end) }
    }
}
