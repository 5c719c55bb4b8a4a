public import CoreMedia
import Foundation
import MediaCore
import Playhead

/// The decoded samples of a track.
///
/// `@unchecked Sendable`: `state` is guarded by its lock; the other stored properties are constants.
open class AVAssetReaderTrackOutput: AVAssetReaderOutput, @unchecked Sendable {
    private enum Source {
        case video(MediaReader<VideoFrame>)
        case audio(MediaReader<AudioBuffer>)
    }

    private struct State {
        weak var reader: AVAssetReader?
        var source: Source?
        var algorithm = AVAudioTimePitchAlgorithm.spectral
    }

    /// Settings are values of a property list, which nothing changes.
    private struct Settings: @unchecked Sendable {
        let values: [String: Any]?
    }

    private let state = Locked(State())
    private let settings: Settings
    /// The track.
    public let track: AVAssetTrack

    /// Creates an output for a track.
    ///
    /// - Parameters:
    ///   - track: A track of video or audio.
    ///   - outputSettings: For video, the attributes of pixel buffers (see `AVPlayerItemVideoOutput`); for audio, the format of
    ///     the samples (`AVFormatIDKey`, which must be `kAudioFormatLinearPCM`, `AVSampleRateKey`, `AVNumberOfChannelsKey`,
    ///     `AVLinearPCMBitDepthKey`, `AVLinearPCMIsFloatKey`, `AVLinearPCMIsNonInterleaved`). Nil means samples without
    ///     decoding, which is not supported: such an output cannot be added to a reader.
    public init(track: AVAssetTrack, outputSettings: [String: Any]?) {
        self.track = track
        settings = Settings(values: outputSettings)
        super.init()
    }

    /// The settings, or nil.
    open var outputSettings: [String: Any]? { settings.values }
    /// The kind of media of the track.
    open override var mediaType: AVMediaType { track.mediaType }
    /// The algorithm for edits with other rates. Kept without effect.
    open var audioTimePitchAlgorithm: AVAudioTimePitchAlgorithm {
        get { state.withLock { $0.algorithm } }
        set { state.withLock { $0.algorithm = newValue } }
    }

    override func canBeRead(by reader: AVAssetReader) -> Bool {
        guard let values = settings.values, track.asset?.asset === reader.asset.asset else { return false }
        switch track.mediaType {
        case .video: return true
        case .audio: return AudioOutputSettings(values) != nil
        default: return false
        }
    }

    override func start(_ reader: AVAssetReader) -> Bool {
        guard let values = settings.values else { return false }
        let (asset, range) = (reader.asset.asset, MediaTimeRange(reader.timeRange))
        let id = Int(track.trackID) - 1
        let source: Source
        if track.mediaType == .video {
            let attributes = PixelBufferAttributes(values)
            source = .video(
                asset.frameReader(
                    track: id,
                    pixelFormat: attributes.formats.first,
                    size: attributes.size,
                    in: range
                )
            )
        } else {
            guard let settings = AudioOutputSettings(values) else { return false }
            let format = settings.format(of: track)
            source = .audio(asset.audioReader(track: id, format: format, in: range))
        }
        state.withLock { state in
            state.reader = reader
            state.source = source
        }
        return true
    }

    override func cancel() {
        switch state.withLock({ $0.source }) {
        case .video(let source): source.cancel()
        case .audio(let source): source.cancel()
        case nil: break
        }
    }

    open override func copyNextSampleBuffer() -> CMSampleBuffer? {
        let (source, reader) = state.withLock { ($0.source, $0.reader) }
        guard let source, let reader, reader.status == .reading else { return nil }
        do throws(PlaybackError) {
            let buffer: CMSampleBuffer? =
                switch source {
                case .video(let source): try source.next().map { CMSampleBuffer($0) }
                case .audio(let source): try Self.nextAudio(source)
                }
            if buffer == nil { reader.outputDidEnd(self) }
            return buffer
        } catch {
            reader.fail(AVError(error))
            return nil
        }
    }

    /// Returns the next samples. A converter that has nothing to deliver yet yields empty buffers, which are skipped.
    private static func nextAudio(_ source: MediaReader<AudioBuffer>) throws(PlaybackError) -> CMSampleBuffer?
    {
        while let buffer = try source.next() {
            if buffer.frameCount > 0 { return CMSampleBuffer(buffer) }
        }
        return nil
    }
}
