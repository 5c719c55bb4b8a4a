import MediaCore
import PlayheadBackend

/// Records what is decoded for an exact seek, and keeps the frames around its target for steps and seeks near
/// by.
///
/// A run goes from a sync point to a little behind the target. Frames far before the target are not kept: a
/// seek does not show them. There are two exceptions. Where seeks lead back by a few frames, all frames before
/// the target are kept as far as there is room. Where they lead back by an even stride, the frames are kept
/// that the next ones will show. While playing goes on, the run is given up.
struct SeekFrameCache {
    private let track: Track
    private let share: FrameCacheShare
    private var records: [DecoderRecord] = []
    private var recording: DecoderRecord?
    private var newestID = 0
    /// Where the seek leads; nil: nothing is sought.
    private var target: MediaTime?
    private var pattern: SeekPattern
    private var newestFrame: MediaTime?
    /// Frames from this time on are kept.
    private var windowStart = MediaTime.zero
    private var framesAfterTarget = 0

    /// Other groups of frames that steps may lead back to.
    private static let maximumRecordCount = 4
    /// Frames behind the target, after which playing has gone on.
    private static let maximumFramesAfterTarget = 32
    /// Frames before the target that are kept at any seek: the ones a seek decodes anyway.
    private static let defaultWindow = 8
    private static let maximumWindow = 120
    /// A run of more is not worth looking through.
    private static let maximumPacketCount = 10_000

    init(track: Track, share: FrameCacheShare) {
        self.track = track
        self.share = share
        pattern = SeekPattern(frameDuration: track.estimatedFrameDuration)
    }

    mutating func begin(_ start: EpochStart) {
        target = start.isReverse ? nil : start.firstWanted
        guard let target else { return }
        move(to: target)
    }

    /// The decoder goes on from where it is.
    mutating func resume(at start: EpochStart) {
        guard let target = start.firstWanted else { return }
        self.target = target
        move(to: target)
    }

    private mutating func move(to target: MediaTime) {
        pattern.seek(to: target, newestFrame: newestFrame)
        framesAfterTarget = 0
        windowStart = target - track.estimatedFrameDuration * framesBefore
        // Between the target and what comes next, so that what was passed leaves first.
        share.setPosition(
            pattern.predictedTargets.dropFirst().first ?? pattern.predictedTargets.first ?? target
        )
    }

    /// How many frames before the target are kept.
    private var framesBefore: Int {
        guard pattern.predictedTargets.isEmpty else { return 0 }
        guard pattern.isStepping else { return Self.defaultWindow }
        let fitting = share.fairShareBytes / max(1, track.estimatedFrameBytes) - Self.defaultWindow
        return max(Self.defaultWindow, min(Self.maximumWindow, fitting))
    }

    mutating func noteFrame(_ time: MediaTime) { newestFrame = time }

    /// Flushed: what follows is no part of the seek, unless it is said again.
    mutating func end() { target = nil }

    // MARK: Repeating

    /// Where `packet` begins a run that has what the seek shows.
    func replay(from packet: Packet) -> DecoderReplay? {
        let identity = DecoderHistory.PacketIdentity(packet)
        guard let target, let record = records.last(where: { $0.first == identity }),
            let position = record.position(dueAt: target),
            share.frame(at: position.time, of: record.id) != nil
        else { return nil }
        return DecoderReplay(record, firstNeeded: position.event, isCompleteAfter: position.isCompleteAfter)
    }

    func frame(at time: MediaTime, of record: DecoderRecord) -> VideoFrame? {
        share.frame(at: time, of: record.id)
    }

    // MARK: Recording

    /// False: nothing is sought, or there is no room.
    mutating func record(_ packet: Packet) -> Bool {
        guard target != nil, packet.isKeyFrame, packet.presentationTime != nil else { return false }
        guard share.fairShareBytes / 4 >= track.estimatedFrameBytes else { return false }
        let identity = DecoderHistory.PacketIdentity(packet)
        for record in records where record.first == identity { share.dropFrames(of: record.id) }
        records.removeAll { $0.first == identity }
        newestID += 1
        recording = DecoderRecord(id: newestID)
        return true
    }

    /// Whether the packet's frame is decoded although the seek does not show it, because later ones may.
    func shouldDecode(_ packet: Packet) -> Bool {
        guard let time = packet.presentationTime else { return false }
        return pattern.isStepping && time >= windowStart || pattern.predicts(time)
    }

    /// False: the run is given up.
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
            // Of two frames with one time nobody could say which is meant.
            guard recording?.noteOutput(time) == true else {
                discard()
                return false
            }
            if time > target { framesAfterTarget += 1 }
            guard framesAfterTarget <= Self.maximumFramesAfterTarget else {
                discard()
                return false
            }
            if time >= windowStart || pattern.predicts(time) { share.keep(frame, of: record) }
        }
        return true
    }

    /// The run ends for now. Its number, where it was recorded.
    mutating func finishRecording() -> Int? {
        guard let record = recording else { return nil }
        recording = nil
        records.append(record)
        while records.count > Self.maximumRecordCount { share.dropFrames(of: records.removeFirst().id) }
        return record.id
    }

    /// The decoder goes on behind the run.
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
