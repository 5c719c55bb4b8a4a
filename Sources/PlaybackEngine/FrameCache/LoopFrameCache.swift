import MediaCore
import PlayheadBackend

/// Records a lap of a loop as it is decoded, and keeps it for the laps that follow.
struct LoopFrameCache {
    private let track: Track
    private let share: FrameCacheShare
    private let setting: LoopSetting
    /// About what a lap takes; 0: nobody knows.
    private let estimatedBytes: Int
    /// A lap of fewer bytes did not fit.
    private var rejectedBytes = 0
    private var recordedBytes = 0
    private var recording: DecoderRecord?
    /// Goes from the first packet to the end of the data; the cache holds its outputs.
    private var pass: DecoderRecord?
    /// As it was told to `setting`.
    private var isCounted = false

    init(track: Track, duration: MediaTime, share: FrameCacheShare, setting: LoopSetting) {
        self.track = track
        self.share = share
        self.setting = setting
        estimatedBytes = track.estimatedBytes(of: duration)
    }

    var hasPass: Bool { pass != nil }

    /// Where `packet` begins the lap that is kept.
    mutating func replay(from packet: Packet) -> DecoderReplay? {
        guard let pass else { return nil }
        guard share.output(0, of: track.id) != nil else {
            discard()
            return nil
        }
        return pass.first == DecoderHistory.PacketIdentity(packet) ? DecoderReplay(pass) : nil
    }

    /// False: the item does not loop, or there is no room for a lap.
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

    /// False: the lap is not kept, because frames may be missing.
    mutating func note(_ packet: Packet?, _ skipping: DecodeSkipping) -> Bool {
        if skipping > .none, packet != nil { discard() }
        recording?.note(packet, mayBeSkipped: false)
        return recording != nil
    }

    /// False: the lap is not kept, because there is no room.
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

    /// Decoders pad their frames, so the first frame tells better what the lap will take. False: there is no
    /// room for so much. It is known before a lap of memory was used in vain.
    private mutating func expect(_ output: DecoderOutput) -> Bool {
        guard recording?.outputCount == 0, estimatedBytes > 0, case .video = output else { return true }
        let factor = Double(output.byteCount) / Double(max(1, track.estimatedFrameBytes))
        let bytes = Int(min(Double(estimatedBytes) * factor, 1e15))
        if share.expect(max(bytes, rejectedBytes), of: track.id) { return true }
        recordedBytes = max(recordedBytes, bytes)
        return false
    }

    /// The lap is over. A single packet is the early first frame: more will come.
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

    /// Where the item loops no more, nothing is kept for it.
    mutating func didFlush() {
        if !setting.isLooping { discard() }
    }
}

extension Track {
    /// About what decoded frames of `duration` take; 0: nobody knows.
    fileprivate func estimatedBytes(of duration: MediaTime) -> Int {
        guard duration.isNumeric, duration > .zero else { return 0 }
        let bytes: Double
        if mediaType == .video {
            let rate = nominalFrameRate.map { Double($0.numerator) / Double(max(1, $0.denominator)) } ?? 25
            bytes = duration.seconds * rate * Double(estimatedFrameBytes)
        } else {
            bytes = duration.seconds * Double(sampleRate) * 4 * Double(max(1, channelCount))
        }
        return bytes.isFinite && bytes >= 0 ? Int(min(bytes, 1e15)) : 0
    }

    /// A 25th of a second where the rate is not known.
    var estimatedFrameDuration: MediaTime {
        let rate = nominalFrameRate.flatMap { $0.numerator > 0 && $0.denominator > 0 ? $0 : nil }
        guard let rate else { return MediaTime(value: 1, timescale: 25) }
        return MediaTime(value: Int64(rate.denominator), timescale: rate.numerator)
    }

    /// About what a decoded frame takes: with 12 bits a pixel, as most have.
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
