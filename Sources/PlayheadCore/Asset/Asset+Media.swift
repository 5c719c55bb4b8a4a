public import MediaCore
package import PlaybackEngine
import PlayheadBackend

extension Asset {
    /// Returns the decoded video frames of the asset, as fast as they are read. No player and no clock is needed.
    ///
    ///     let size = PixelSize(width: 224, height: 224)
    ///     for try await frame in asset.frames(.uniform(count: 32), pixelFormat: .rgb24, size: size) {
    ///         print(frame.presentationTime)
    ///     }
    ///
    /// No frame is lost: decoding stops while a few frames wait to be read. `.all` delivers the frames and the times of
    /// playing. Frames are scaled and converted on another thread than decoding. Leaving the loop, or cancelling the
    /// task, releases the decoder and cancels network requests at once.
    ///
    /// Frames are upright. They are not deinterlaced. HDR frames that are scaled or converted to RGB are tone mapped to
    /// BT.709. Packets that cannot be decoded are skipped, as in playing; data that ends early is an error after the
    /// last frame.
    ///
    /// - Parameters:
    ///   - sampling: The frames to deliver.
    ///   - pixelFormat: The pixel format of the frames. Nil keeps the decoder's format as far as the size allows.
    ///   - size: The exact size of the frames, with square pixels. Nil keeps the size and the pixel aspect ratio.
    ///   - gravity: The way in which a frame is fitted into `size`. The rest is transparent, or black without alpha.
    ///   - range: The range of item time. The first frame is the one due at its start; frames due at its end or later
    ///     are not delivered. Nil is the whole asset. An empty range has no frames.
    /// - Returns: The sequence. Its iterator throws `PlaybackError`, with the code `.noPlayableTracks` if the asset has
    ///   no video and `.invalidArgument` if an argument is not valid.
    public func frames(
        _ sampling: FrameSampling = .all,
        pixelFormat: PixelFormat? = nil,
        size: PixelSize? = nil,
        gravity: VideoGravity = .resize,
        in range: MediaTimeRange? = nil
    ) -> FrameSequence {
        let shape = FrameShape(size: size, gravity: gravity, pixelFormat: pixelFormat)
        return frames(sampling, shape: shape, in: range, clock: .host)
    }

    /// Returns the decoded video frames of the asset, read on the driver of `clock`.
    package func frames(
        _ sampling: FrameSampling,
        shape: FrameShape = FrameShape(),
        in range: MediaTimeRange? = nil,
        clock: ClockMode
    ) -> FrameSequence {
        let reader = AssetReader(self, clock: clock)
        return FrameSequence(self) { reader.frames(sampling, shape, range) }
    }

    /// Returns the decoded audio of the asset, as fast as it is read. No player and no clock is needed.
    ///
    /// The samples are those that playing delivers to a sink without a device: without gaps at the seams of segments,
    /// without the encoder's delay and padding. No sample is lost: decoding stops while some buffers wait to be read.
    /// Leaving the loop, or cancelling the task, releases the decoder and cancels network requests at once.
    ///
    /// - Parameters:
    ///   - format: The format of the samples. Nil keeps the format of the track, which may change between buffers.
    ///   - range: The range of item time, exact to the sample. Nil is the whole asset. An empty range has no samples.
    /// - Returns: The sequence. Its iterator throws `PlaybackError`, with the code `.noPlayableTracks` if the asset has
    ///   no audio and `.invalidArgument` if an argument is not valid.
    public func audio(format: AudioFormat? = nil, in range: MediaTimeRange? = nil) -> AudioSequence {
        audio(format: format, in: range, clock: .host)
    }

    /// Returns the decoded audio of the asset, read on the driver of `clock`.
    package func audio(
        format: AudioFormat? = nil,
        in range: MediaTimeRange? = nil,
        clock: ClockMode
    ) -> AudioSequence {
        let reader = AssetReader(self, clock: clock)
        return AudioSequence(self) { reader.audio(format, range) }
    }

    /// Returns the frame that is due at a time: exact, upright, with square pixels, deinterlaced, in standard dynamic
    /// range.
    ///
    /// Each call opens the asset. `frames(_:pixelFormat:size:gravity:in:)` with `.times`, or an `ImageGenerator`, opens
    /// it once for many images.
    ///
    /// - Parameters:
    ///   - time: The item time, which is clamped to the asset.
    ///   - size: The exact size of the image, into which the frame is fitted with its aspect ratio. Nil is the size at
    ///     which the video is presented.
    /// - Returns: The frame.
    /// - Throws: `PlaybackError` if the frame cannot be decoded, or at once with the code `.cancelled` if the task is
    ///   cancelled.
    public func image(
        at time: MediaTime,
        size: PixelSize? = nil
    ) async throws(PlaybackError) -> VideoFrame {
        if let size, size.isEmpty {
            throw PlaybackError(MediaError(.invalidArgument, "invalid image size: \(size)"), url: url)
        }
        let generator = ImageGenerator(asset: self)
        generator.requestedTimeToleranceBefore = .zero
        generator.requestedTimeToleranceAfter = .zero
        generator.appliesPreferredTrackTransform = true
        generator.targetSize = size
        return try await generator.image(at: time).frame
    }

    /// Returns all cues of a subtitle track in the order of their start times, without playing.
    ///
    /// - Parameter track: A subtitle track of the asset. Its `id` identifies it.
    /// - Returns: The cues. The duration of the last one is `.indefinite` if nothing ends it.
    /// - Throws: `PlaybackError`: `.invalidArgument` if the asset has no such track, `.decoderNotFound` if its
    ///   subtitles are not text, `.exceedsLimits` if they exceed 8 MiB, `.cancelled` if the task is cancelled, or the
    ///   error of reading. Cues that cannot be decoded are skipped.
    public func cues(of track: Track) async throws(PlaybackError) -> [TextCue] {
        try await cues(of: track, clock: .host)
    }

    /// Returns all cues of a subtitle track, read on the driver of `clock`.
    package func cues(of track: Track, clock: ClockMode) async throws(PlaybackError) -> [TextCue] {
        do throws(MediaError) {
            return try await AssetReader(self, clock: clock).cues(track).next() ?? []
        } catch {
            throw PlaybackError(error, url: url)
        }
    }
}
