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
    private var runs: [DecoderRecord] = []
    private var recording: DecoderRecord?
    private var newestID = 0
    /// Where the seek leads; nil: nothing is sought.
    private var target: MediaTime?
    private var pattern: SeekPattern
    private var newestFrame: MediaTime?
    /// Frames from this time on are kept.
    private var windowStart = MediaTime.zero
    private var framesBehind = 0

    /// Other groups of frames that steps may lead back to.
    private static let mostRuns = 4
    /// Frames behind the target, after which playing has gone on.
    private static let mostFramesBehind = 32
    /// Frames before the target that are kept at any seek: the ones a seek decodes anyway.
    private static let usualWindow = 8
    private static let widestWindow = 120
    /// A run of more is not worth looking through.
    private static let mostPackets = 10_000

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
    mutating func goOn(to start: EpochStart) {
        guard let target = start.firstWanted else { return }
        self.target = target
        move(to: target)
    }

    private mutating func move(to target: MediaTime) {
        pattern.seek(to: target, newestFrame: newestFrame)
        framesBehind = 0
        windowStart = target - track.estimatedFrameDuration * framesBefore
        // Between the target and what comes next, so that what was passed leaves first.
        share.setPosition(pattern.expected.dropFirst().first ?? pattern.expected.first ?? target)
    }

    /// How many frames before the target are kept.
    private var framesBefore: Int {
        guard pattern.expected.isEmpty else { return 0 }
        guard pattern.isStepping else { return Self.usualWindow }
        let fitting = share.fairBytes / max(1, track.estimatedFrameBytes) - Self.usualWindow
        return max(Self.usualWindow, min(Self.widestWindow, fitting))
    }

    mutating func came(_ time: MediaTime) { newestFrame = time }

    /// Flushed: what follows is no part of the seek, unless it is said again.
    mutating func end() { target = nil }

    // MARK: Repeating

    /// Where `packet` begins a run that has what the seek shows.
    func replay(from packet: Packet) -> DecoderReplay? {
        let mark = DecoderHistory.Mark(packet)
        guard let target, let run = runs.last(where: { $0.first == mark }),
            let place = run.place(dueAt: target), share.frame(at: place.time, of: run.id) != nil
        else { return nil }
        return DecoderReplay(run, firstNeeded: place.event, isCompleteBehind: place.isCompleteBehind)
    }

    func frame(at time: MediaTime, of run: DecoderRecord) -> VideoFrame? {
        share.frame(at: time, of: run.id)
    }

    // MARK: Recording

    /// False: nothing is sought, or there is no room.
    mutating func record(_ packet: Packet) -> Bool {
        guard target != nil, packet.isKeyFrame, packet.presentationTime != nil else { return false }
        guard share.fairBytes / 4 >= track.estimatedFrameBytes else { return false }
        let mark = DecoderHistory.Mark(packet)
        for run in runs where run.first == mark { share.dropFrames(of: run.id) }
        runs.removeAll { $0.first == mark }
        newestID += 1
        recording = DecoderRecord(id: newestID)
        return true
    }

    /// Whether the packet's frame is decoded although the seek does not show it, because later ones may.
    func wants(_ packet: Packet) -> Bool {
        guard let time = packet.presentationTime else { return false }
        return pattern.isStepping && time >= windowStart || pattern.expects(time)
    }

    /// False: the run is given up.
    mutating func note(_ packet: Packet?, _ skipping: DecodeSkipping) -> Bool {
        recording?.note(packet, isReduced: skipping > .none)
        guard let recording, recording.packetCount <= Self.mostPackets else {
            forget()
            return false
        }
        return true
    }

    mutating func note(_ output: DecoderOutput) -> Bool {
        switch output {
        case .needsInput, .audio: return true
        case .ended: recording?.noteEnd()
        case .video(let frame):
            guard let target, let run = recording?.id, frame.presentationTime.isNumeric else {
                forget()
                return false
            }
            let time = frame.presentationTime
            // Of two frames with one time nobody could say which is meant.
            guard recording?.noteOutput(time) == true else {
                forget()
                return false
            }
            if time > target { framesBehind += 1 }
            guard framesBehind <= Self.mostFramesBehind else {
                forget()
                return false
            }
            if time >= windowStart || pattern.expects(time) { share.keep(frame, of: run) }
        }
        return true
    }

    /// The run ends for now. Its number, where it was recorded.
    mutating func park() -> Int? {
        guard let run = recording else { return nil }
        recording = nil
        runs.append(run)
        while runs.count > Self.mostRuns { share.dropFrames(of: runs.removeFirst().id) }
        return run.id
    }

    /// The decoder goes on behind the run.
    mutating func goOn(with run: DecoderRecord) -> Bool {
        guard target != nil, let index = runs.firstIndex(where: { $0.id == run.id }) else { return false }
        recording = runs.remove(at: index)
        framesBehind = 0
        return true
    }

    mutating func forget() {
        if let recording { share.dropFrames(of: recording.id) }
        recording = nil
    }
}
