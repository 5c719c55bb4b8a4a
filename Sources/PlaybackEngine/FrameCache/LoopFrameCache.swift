import MediaCore
import PlayheadBackend

/// Records a pass of a loop while it is decoded, and keeps it for the following passes.
struct LoopFrameCache {
    private let track: Track
    private let share: FrameCacheShare
    private let setting: LoopSetting
    /// The approximate size of a pass in bytes, or 0 if it is unknown.
    private let estimatedBytes: Int
    /// The size at which a pass did not fit.
    private var rejectedBytes = 0
    private var recordedBytes = 0
    private var recording: DecoderRecord?
    /// The complete record of a pass, from the first packet to the end of the data. The cache holds its
    /// outputs.
    private var pass: DecoderRecord?
    /// Whether this pass is counted in `setting`.
    private var isCounted = false

    init(track: Track, duration: MediaTime, share: FrameCacheShare, setting: LoopSetting) {
        self.track = track
        self.share = share
        self.setting = setting
        estimatedBytes = track.estimatedBytes(of: duration)
    }

    var hasPass: Bool { pass != nil }

    /// Returns a replay if `packet` is the first one of the cached pass, otherwise nil.
    mutating func replay(from packet: Packet) -> DecoderReplay? {
        guard let pass else { return nil }
        guard share.output(0, of: track.id) != nil else {
            discard()
            return nil
        }
        return pass.first == DecoderHistory.PacketIdentity(packet) ? DecoderReplay(pass) : nil
    }

    /// Begins to record a pass. Returns false if the item does not loop or if the pass does not fit.
    mutating func begin(_ packet: Packet, _ skipping: DecodeSkipping) -> Bool {
        guard setting.isLooping, skipping == .none else { return false }
        discard()
        guard share.beginPass(of: track.id, expecting: max(estimatedBytes, rejectedBytes)) else {
            return false
        }
        recording = DecoderRecord(id: 0)
        recordedBytes = 0
        count(true)
        return true
    }

    /// Records a packet. Returns false if the pass is given up because frames may be missing.
    mutating func note(_ packet: Packet?, _ skipping: DecodeSkipping) -> Bool {
        if skipping > .none, packet != nil { discard() }
        recording?.note(packet, mayBeSkipped: false)
        return recording != nil
    }

    /// Records an output. Returns false if the pass is given up because it does not fit.
    mutating func note(_ output: DecoderOutput) -> Bool {
        switch output {
        case .needsInput: return true
        case .ended: recording?.noteEnd()
        case .video, .audio:
            recordedBytes &+= output.byteCount
            guard expect(output), share.append(output, of: track.id) else {
                rejectedBytes = max(rejectedBytes, recordedBytes)
                recording = nil
                count(false)
                return false
            }
            recording?.noteOutput(output.presentationTime)
        }
        return true
    }

    /// Corrects the expected size by the size of the first frame, because decoders pad frames. Returns false if
    /// the pass will not fit, before memory is used in vain.
    private mutating func expect(_ output: DecoderOutput) -> Bool {
        guard recording?.outputCount == 0, estimatedBytes > 0, case .video = output else { return true }
        let factor = Double(output.byteCount) / Double(max(1, track.estimatedFrameBytes))
        let bytes = Int(clamping: min(Double(estimatedBytes) * factor, 1e15))
        if share.expect(max(bytes, rejectedBytes), of: track.id) { return true }
        recordedBytes = max(recordedBytes, bytes)
        return false
    }

    /// Finishes the recording. A single packet belongs to the fast first frame, and more packets will follow.
    mutating func finish() {
        guard let recording, recording.hasEnded, recording.packetCount > 1 else { return discard() }
        pass = recording
        self.recording = nil
    }

    func output(_ index: Int) -> DecoderOutput? { share.output(index, of: track.id) }

    mutating func discard() {
        guard pass != nil || recording != nil else { return }
        share.dropPass(of: track.id)
        pass = nil
        recording = nil
        count(false)
    }

    private mutating func count(_ isKept: Bool) {
        if isKept != isCounted { setting.noteCachedPass(isKept: isKept) }
        isCounted = isKept
    }

    /// Discards the pass after a flush if the item does not loop any more.
    mutating func didFlush() {
        if !setting.isLooping { discard() }
    }
}

extension Track {
    /// Returns the approximate size of the decoded frames of `duration` in bytes, or 0 if it is unknown.
    fileprivate func estimatedBytes(of duration: MediaTime) -> Int {
        guard duration.isNumeric, duration > .zero else { return 0 }
        let bytes: Double
        if mediaType == .video {
            let rate = nominalFrameRate.map { Double($0.numerator) / Double(max(1, $0.denominator)) } ?? 25
            bytes = duration.seconds * rate * Double(estimatedFrameBytes)
        } else {
            bytes = duration.seconds * Double(sampleRate) * 4 * Double(max(1, channelCount))
        }
        return bytes.isFinite && bytes >= 0 ? Int(clamping: min(bytes, 1e15)) : 0
    }

    /// The duration of a frame, or 1/25 s if the frame rate is unknown.
    var estimatedFrameDuration: MediaTime {
        let rate = nominalFrameRate.flatMap { $0.numerator > 0 && $0.denominator > 0 ? $0 : nil }
        guard let rate else { return MediaTime(value: 1, timescale: 25) }
        return MediaTime(value: Int64(rate.denominator), timescale: rate.numerator)
    }

    /// The approximate size of a decoded frame in bytes, assuming 12 bits per pixel as in most formats.
    var estimatedFrameBytes: Int {
        let (pixels, overflow) = naturalSize.width.multipliedReportingOverflow(by: naturalSize.height)
        return overflow || pixels < 0 ? 1 << 40 : min(pixels, 1 << 40) / 2 * 3
    }
}

extension DecoderOutput {
    var presentationTime: MediaTime {
        switch self {
        case .video(let frame): frame.presentationTime
        case .audio(let buffer): buffer.presentationTime
        case .needsInput, .ended: .invalid
        }
    }
}
