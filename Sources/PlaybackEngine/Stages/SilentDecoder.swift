import MediaCore
import PlayheadBackend

/// Decodes a track and returns silence of the same duration.
///
/// It is used for an item of which no track is played: its time must advance, and its end must occur, as with
/// the track.
///
/// `@unchecked Sendable`: confined to the caller's lane, as `Decoder` requires.
final class SilentDecoder: EpochDecoder, @unchecked Sendable {
    private let base: any Decoder
    let needsAllPackets: Bool
    /// The silence that has not been returned yet.
    private var remaining: (time: MediaTime, frameCount: Int)?
    /// The start of a video frame that declares no duration. It lasts until the next one.
    private var openStart: MediaTime?
    /// The number of samples that the frame before it lasted, which the last frame of the data lasts as well.
    private var openFrameCount = 0

    /// The format of the silence for a video track. Frames of all common frame rates begin on a sample of this
    /// rate.
    private static let videoFormat = AudioFormat(
        sampleRate: 48_000,
        channelLayout: .mono,
        sampleFormat: .s16
    )
    /// One second, so that a frame that lasts an hour does not allocate an hour of samples.
    private static let maximumBufferFrames = 48_000
    /// The longest assumed duration of the last frame: 10 s, as for frames that are shown.
    private static let maximumLastFrameCount = 480_000

    /// Creates a decoder. `mediaType` is that of the original track.
    init(_ base: any Decoder, of mediaType: MediaType) {
        self.base = base
        needsAllPackets = mediaType == .video
    }

    /// Returns the description of the silent track: an audio track, whatever the original was.
    static func audioTrack(for track: Track) -> Track {
        guard track.mediaType != .audio else { return track }
        var silent = track
        silent.mediaType = .audio
        silent.sampleRate = videoFormat.sampleRate
        silent.channelLayout = videoFormat.channelLayout
        return silent
    }

    var isCatchingUp: Bool { base.isCatchingUp }

    func send(_ packet: Packet?) throws(MediaError) -> Bool { try base.send(packet) }

    func flush() {
        remaining = nil
        openStart = nil
        openFrameCount = 0
        base.flush()
    }

    func receive() throws(MediaError) -> DecoderOutput {
        if let remaining { return .audio(silence(from: remaining.time, frameCount: remaining.frameCount)) }
        while true {
            switch try base.receive() {
            case .audio(let buffer): return .audio(silence(for: buffer))
            case .video(let frame): if let silence = silence(for: frame) { return .audio(silence) }
            case .needsInput: return .needsInput
            case .ended: return lastSilence().map { DecoderOutput.audio($0) } ?? .ended
            }
        }
    }

    private func silence(for buffer: AudioBuffer) -> AudioBuffer {
        var format = buffer.format
        format.sampleFormat = .s16
        return AudioBuffer(
            format: format,
            presentationTime: buffer.presentationTime,
            frameCount: buffer.frameCount,
            storage: SilentStorage(format, frameCount: buffer.frameCount)
        )
    }

    /// Returns the silence up to the end of a frame, or up to its start if it declares no duration, and nil if that is
    /// empty. The lengths are differences of sample positions, so that rounding leaves no gaps between frames.
    private func silence(for frame: VideoFrame) -> AudioBuffer? {
        let rate = Int32(clamping: Self.videoFormat.sampleRate)
        let start = frame.presentationTime.rescaled(to: rate)
        let end = (frame.presentationTime + frame.duration).rescaled(to: rate)
        let first = openStart ?? start
        if openStart != nil { openFrameCount = Self.frameCount(from: first, to: start) }
        openStart = end.isNumeric ? nil : start
        let count = Self.frameCount(from: first, to: end.isNumeric ? end : start)
        return count > 0 ? silence(from: first, frameCount: count) : nil
    }

    /// Returns the silence of the last frame if it declares no duration, once.
    private func lastSilence() -> AudioBuffer? {
        guard let start = openStart, openFrameCount > 0 else { return nil }
        openStart = nil
        return silence(from: start, frameCount: min(openFrameCount, Self.maximumLastFrameCount))
    }

    private static func frameCount(from start: MediaTime, to end: MediaTime) -> Int {
        let length = end - start
        return length.isNumeric ? Int(max(0, length.value)) : 0
    }

    private func silence(from time: MediaTime, frameCount: Int) -> AudioBuffer {
        let format = Self.videoFormat
        let count = min(frameCount, Self.maximumBufferFrames)
        let passed = MediaTime(value: Int64(count), timescale: Int32(clamping: format.sampleRate))
        remaining = count < frameCount ? (time + passed, frameCount - count) : nil
        return AudioBuffer(
            format: format,
            presentationTime: time,
            frameCount: count,
            storage: SilentStorage(format, frameCount: count)
        )
    }
}
