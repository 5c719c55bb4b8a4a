import MediaCore
import PlayheadBackend

/// Silence for as long as what it decodes lasts, for an item of which nothing is played: its time must run, and its end
/// must come, where they would with the track.
///
/// `@unchecked Sendable`: confined to the caller's lane, as `Decoder` demands.
final class SilentDecoder: Decoder, @unchecked Sendable {
    private let base: any Decoder
    /// What has been decoded and not been handed out yet.
    private var remaining: (time: MediaTime, frameCount: Int)?

    /// Of the silence for a video track; its frames lie on every common frame rate.
    private static let videoFormat = AudioFormat(
        sampleRate: 48_000,
        channelLayout: .mono,
        sampleFormat: .s16
    )
    /// A second, so that a picture that stands for an hour costs no memory.
    private static let maximumBufferFrames = 48_000

    init(_ base: any Decoder) { self.base = base }

    /// The track as the silence has it: of audio, whatever it was.
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
        base.flush()
    }

    func receive() throws(MediaError) -> DecoderOutput {
        if let remaining { return .audio(silence(from: remaining.time, frameCount: remaining.frameCount)) }
        switch try base.receive() {
        case .audio(let buffer): return .audio(silence(for: buffer))
        case .video(let frame): return .audio(silence(for: frame))
        case .needsInput: return .needsInput
        case .ended: return .ended
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

    /// From sample to sample as the frames follow one another, so that no gap comes from rounding.
    private func silence(for frame: VideoFrame) -> AudioBuffer {
        let rate = Int32(clamping: Self.videoFormat.sampleRate)
        let start = frame.presentationTime.rescaled(to: rate)
        let end = (frame.presentationTime + frame.duration).rescaled(to: rate)
        let length = end - start
        return silence(from: start, frameCount: length.isNumeric ? Int(max(0, length.value)) : 0)
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
