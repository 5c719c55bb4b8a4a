import MediaCore
import PlayheadBackend

/// Records the output of exact seeks, and keeps the frames around a target for steps and seeks close to it.
///
/// A record extends from a sync point to a few frames after the target. Frames long before the target are not
/// kept, because a seek does not show them, with two exceptions. If seeks move back by a few frames, all frames
/// before the target are kept as far as they fit. If seeks move back by a constant stride, the frames at the
/// predicted targets are kept. While a user drags the position, a frame every quarter of a second on the way is kept
/// too, to be shown at once when the position returns. When playback continues, the record is discarded.
struct SeekFrameCache {
    private let track: Track
    private let share: FrameCacheShare
    private var records: [DecoderRecord] = []
    private var recording: DecoderRecord?
    private var newestID = 0
    /// The target of the seek, or nil if there is no seek.
    private var target: MediaTime?
    private var pattern: SeekPattern
    private var newestFrame: MediaTime?
    /// The time from which on frames are kept.
    private var windowStart = MediaTime.zero
    private var framesAfterTarget = 0
    /// Whether a user drags the position.
    private var isScrubbing = false
    /// The time of the last frame on the way that was kept while scrubbing.
    private var newestOnTheWay: MediaTime?

    /// The largest number of records, one for each group of pictures to which steps may lead back.
    private static let maximumRecordCount = 4
    /// The number of frames after the target from which on playback is considered to have continued.
    private static let maximumFramesAfterTarget = 32
    /// The number of frames before the target that are kept for any seek, which decodes them anyway.
    private static let defaultWindow = 8
    private static let maximumWindow = 120
    /// The largest number of packets in a record; searching longer ones is not worthwhile.
    private static let maximumPacketCount = 10_000
    /// The distance of the frames that are kept on the way while scrubbing.
    private static let scrubbingInterval = MediaTime(value: 1, timescale: 4)
    /// The identifier of the frames that are kept while scrubbing although another record has replaced theirs. They are
    /// shown first only.
    private static let recordOfOthers = 0

    init(track: Track, share: FrameCacheShare) {
        self.track = track
        self.share = share
        pattern = SeekPattern(frameDuration: track.estimatedFrameDuration)
    }

    mutating func begin(_ start: EpochStart) {
        target = start.isReverse ? nil : start.firstWanted
        guard let target else { return }
        isScrubbing = start.isScrubbing
        newestOnTheWay = nil
        if !isScrubbing { share.dropFrames(of: Self.recordOfOthers) }
        move(to: target)
    }

    /// Begins an epoch in which the decoder continues without a flush.
    mutating func resume(at start: EpochStart) {
        guard let target = start.firstWanted else { return }
        self.target = target
        isScrubbing = start.isScrubbing
        move(to: target)
    }

    private mutating func move(to target: MediaTime) {
        pattern.seek(to: target, newestFrame: newestFrame)
        framesAfterTarget = 0
        windowStart = target - track.estimatedFrameDuration * framesBefore
        // The second predicted target, so that frames that have been passed are evicted first.
        share.setPosition(
            pattern.predictedTargets.dropFirst().first ?? pattern.predictedTargets.first ?? target
        )
    }

    /// The number of frames before the target that are kept.
    private var framesBefore: Int {
        guard pattern.predictedTargets.isEmpty else { return 0 }
        guard pattern.isStepping else { return Self.defaultWindow }
        let fitting = share.fairShareBytes / max(1, track.estimatedFrameBytes) - Self.defaultWindow
        return max(Self.defaultWindow, min(Self.maximumWindow, fitting))
    }

    mutating func noteFrame(_ time: MediaTime) { newestFrame = time }

    /// Ends the seek after a flush. A seek that follows begins again.
    mutating func end() { target = nil }

    // MARK: Repeating

    /// Returns a replay if `packet` begins a record that has the frame that the seek shows, otherwise nil.
    func replay(from packet: Packet) -> DecoderReplay? {
        let identity = DecoderHistory.PacketIdentity(packet)
        guard let target, let record = records.last(where: { $0.first == identity }),
            let position = record.position(dueAt: target),
            share.frame(at: position.time, of: record.id) != nil
        else { return nil }
        return DecoderReplay(record, firstNeeded: position.event, isCompleteAfter: position.isCompleteAfter)
    }

    /// Returns the frame that a seek to `target` can show without decoding, or nil if there is none that is due or at
    /// most `distance` away.
    func keptFrame(for target: MediaTime, within distance: MediaTime) -> KeptFrame? {
        let isDueKept = records.contains { record in
            record.position(dueAt: target).map { share.frame(at: $0.time, of: record.id) != nil } ?? false
        }
        if isDueKept { return .due }
        return share.frame(nearestTo: target, within: distance).map { .near($0) }
    }

    func frame(at time: MediaTime, of record: DecoderRecord) -> VideoFrame? {
        share.frame(at: time, of: record.id)
    }

    // MARK: Recording

    /// Begins a record. Returns false if there is no seek, or if there is too little memory.
    mutating func record(_ packet: Packet) -> Bool {
        guard target != nil, packet.isKeyFrame, packet.presentationTime != nil else { return false }
        guard share.fairShareBytes / 4 >= track.estimatedFrameBytes else { return false }
        let identity = DecoderHistory.PacketIdentity(packet)
        for record in records where record.first == identity {
            if isScrubbing {
                share.moveFrames(of: record.id, to: Self.recordOfOthers)
            } else {
                share.dropFrames(of: record.id)
            }
        }
        records.removeAll { $0.first == identity }
        newestID += 1
        recording = DecoderRecord(id: newestID)
        return true
    }

    /// Returns whether a packet's frame is decoded although the seek does not show it, because later seeks may.
    func shouldDecode(_ packet: Packet) -> Bool {
        guard let time = packet.presentationTime else { return false }
        return pattern.isStepping && time >= windowStart || pattern.predicts(time)
    }

    /// Records a packet. Returns false if the record is discarded.
    mutating func note(_ packet: Packet?, _ skipping: DecodeSkipping) -> Bool {
        recording?.note(packet, mayBeSkipped: skipping > .none)
        guard let recording, recording.packetCount <= Self.maximumPacketCount else {
            discard()
            return false
        }
        return true
    }

    mutating func note(_ output: DecoderOutput) -> Bool {
        switch output {
        case .needsInput, .audio: return true
        case .ended: recording?.noteEnd()
        case .video(let frame):
            guard let target, let record = recording?.id, frame.presentationTime.isNumeric else {
                discard()
                return false
            }
            let time = frame.presentationTime
            // Two frames with the same time cannot be distinguished.
            guard recording?.noteOutput(time) == true else {
                discard()
                return false
            }
            if time > target { framesAfterTarget += 1 }
            guard framesAfterTarget <= Self.maximumFramesAfterTarget else {
                discard()
                return false
            }
            if time >= windowStart || pattern.predicts(time) || keepsOnTheWay(time) {
                share.keep(frame, of: record)
            }
        }
        return true
    }

    /// Returns whether a frame before the target is kept because a user drags the position.
    private mutating func keepsOnTheWay(_ time: MediaTime) -> Bool {
        guard isScrubbing, newestOnTheWay.map({ time - $0 >= Self.scrubbingInterval }) ?? true else {
            return false
        }
        newestOnTheWay = time
        return true
    }

    /// Finishes the record, and returns its identifier if one was being recorded.
    mutating func finishRecording() -> Int? {
        guard let record = recording else { return nil }
        recording = nil
        records.append(record)
        while records.count > Self.maximumRecordCount { share.dropFrames(of: records.removeFirst().id) }
        return record.id
    }

    /// Continues a record, together with the decoder. Returns false if that is not possible.
    mutating func resumeRecording(_ record: DecoderRecord) -> Bool {
        guard target != nil, let index = records.firstIndex(where: { $0.id == record.id }) else {
            return false
        }
        recording = records.remove(at: index)
        framesAfterTarget = 0
        return true
    }

    mutating func discard() {
        if let recording { share.dropFrames(of: recording.id) }
        recording = nil
    }
}
