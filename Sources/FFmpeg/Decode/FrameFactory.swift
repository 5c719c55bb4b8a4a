internal import CFFmpeg
internal import MediaCore

/// Converts libav's frames of one track to MediaCore's without copying samples.
struct FrameFactory {
    let track: Track
    let mapping: TimeMapping
    /// The container's pixel aspect ratio, which overrides the codec's. It is 0/0 if the container declares none.
    let containerAspect: AVRational
    /// The time of the next frame if it has no timestamp.
    private var expected: MediaTime?
    /// Whether the last audio buffer has another time than its packet; see `corrected`.
    private var wasCorrected = false
    private var lastVideo: (key: VideoKey, format: VideoFormat)?
    private var lastAudio: (key: AudioKey, format: AudioFormat)?

    init(track: Track, mapping: TimeMapping, containerAspect: AVRational) {
        self.track = track
        self.mapping = mapping
        self.containerAspect = containerAspect
    }

    /// Forgets the expected time of the next frame, after a flush.
    mutating func reset() {
        expected = nil
        wasCorrected = false
    }

    /// Returns a video frame. `view` describes its pixels if they differ from those of the libav frame; the caller then
    /// sets the storage.
    mutating func video(_ owner: FrameOwner, ticks: Int64?, view: FrameView? = nil) -> VideoFrame {
        let frame = owner.pointer.pointee
        let duration = mapping.duration(ph_frame_duration(owner.pointer))
        let time = mapping.itemTime(ticks) ?? expected ?? .zero
        expected = time + (duration ?? nominalDuration)
        var videoFrame = VideoFrame(
            format: videoFormat(owner.pointer, view ?? FrameView(frame)),
            presentationTime: time,
            duration: duration ?? .invalid,
            isKeyFrame: ph_frame_is_key(owner.pointer) != 0,
            isCorrupt: frame.flags & AV_FRAME_FLAG_CORRUPT != 0 || frame.decode_error_flags != 0,
            sourceTime: SourceTime(ticks: ticks, timeBase: mapping.timeBase),
            storage: FFmpegVideoStorage(owner)
        )
        videoFrame.isInterlaced = ph_frame_is_interlaced(owner.pointer) != 0
        videoFrame.isTopFieldFirst = ph_frame_has_top_field_first(owner.pointer) != 0
        return videoFrame
    }

    /// Returns an audio buffer, or nil for frames without samples.
    mutating func audio(_ owner: FrameOwner) -> AudioBuffer? {
        let frame = owner.pointer.pointee
        guard frame.nb_samples > 0, frame.sample_rate > 0, frame.ch_layout.nb_channels > 0 else { return nil }
        let stamp = FFmpeg.ticks(frame.best_effort_timestamp) ?? FFmpeg.ticks(frame.pts)
        var buffer = AudioBuffer(
            format: audioFormat(owner.pointer),
            presentationTime: mapping.itemTime(stamp) ?? expected ?? .zero,
            frameCount: Int(frame.nb_samples),
            storage: FFmpegAudioStorage(owner)
        )
        if track.codec == "vorbis" { buffer.presentationTime = corrected(buffer) }
        expected = buffer.presentationTime + buffer.duration
        return buffer
    }

    /// Returns the time of a buffer of Vorbis.
    ///
    /// libav gives a short block that follows a long one a time that is too late, by 448 samples of blocks of 256 and
    /// 2048, and also writes it to other containers. The times before and after it are right, so only one buffer at a
    /// time is moved to the end of the previous one.
    private mutating func corrected(_ buffer: AudioBuffer) -> MediaTime {
        let time = buffer.presentationTime
        guard let expected, !wasCorrected, time - expected > FrameFactory.timestampResolution,
            time - expected < buffer.duration
        else {
            wasCorrected = false
            return time
        }
        wasCorrected = true
        return expected
    }

    /// The resolution of the times of Matroska: 1 ms.
    private static let timestampResolution = MediaTime(value: 1, timescale: 1000)

    private var nominalDuration: MediaTime {
        guard let rate = track.nominalFrameRate, rate.isPositive else { return .zero }
        return MediaTime(value: Int64(rate.denominator), timescale: rate.numerator)
    }

    private struct VideoKey: Equatable {
        var view: FrameView
        var aspectNumerator, aspectDenominator: Int32
        var primaries, transfer, matrix, range, chroma: UInt32
        var mastering: MasteringDisplay?
        var light: ContentLightLevel?
    }

    private mutating func videoFormat(
        _ pointer: UnsafeMutablePointer<AVFrame>,
        _ view: FrameView
    ) -> VideoFormat {
        let frame = pointer.pointee
        let aspect = containerAspect.num != 0 ? containerAspect : frame.sample_aspect_ratio
        let key = VideoKey(
            view: view,
            aspectNumerator: aspect.num,
            aspectDenominator: aspect.den,
            primaries: frame.color_primaries.rawValue,
            transfer: frame.color_trc.rawValue,
            matrix: frame.colorspace.rawValue,
            range: frame.color_range.rawValue,
            chroma: frame.chroma_location.rawValue,
            mastering: HDRMetadata.masteringDisplay(of: pointer) ?? track.masteringDisplay,
            light: HDRMetadata.contentLightLevel(of: pointer) ?? track.contentLightLevel
        )
        if let lastVideo, lastVideo.key == key { return lastVideo.format }
        let pixelFormat = view.format
        let format = VideoFormat(
            pixelFormat: ColorNames.pixelFormat(pixelFormat),
            size: PixelSize(width: Int(view.width), height: Int(view.height)),
            pixelAspectRatio: aspect.isPositive ? aspect.rational : Rational(1, 1),
            color: ColorNames.describe(
                primaries: frame.color_primaries,
                transfer: frame.color_trc,
                matrix: frame.colorspace,
                range: frame.color_range,
                chroma: frame.chroma_location,
                pixelFormat: pixelFormat
            ),
            rotation: track.preferredRotation,
            isMirrored: track.isMirrored,
            nominalFrameRate: track.nominalFrameRate,
            masteringDisplay: key.mastering,
            contentLightLevel: key.light
        )
        lastVideo = (key, format)
        return format
    }

    private struct AudioKey: Equatable {
        var format, rate, channels: Int32
        var order: UInt32
        var mask: UInt64
    }

    private mutating func audioFormat(_ frame: UnsafeMutablePointer<AVFrame>) -> AudioFormat {
        let layout = frame.pointee.ch_layout
        let key = AudioKey(
            format: frame.pointee.format,
            rate: frame.pointee.sample_rate,
            channels: layout.nb_channels,
            order: layout.order.rawValue,
            mask: layout.u.mask
        )
        if let lastAudio, lastAudio.key == key { return lastAudio.format }
        let format = AudioFormat(
            sampleRate: Int(frame.pointee.sample_rate),
            channelLayout: ColorNames.channelLayout(&frame.pointee.ch_layout),
            sampleFormat: ColorNames.sampleFormat(AVSampleFormat(frame.pointee.format))
        )
        lastAudio = (key, format)
        return format
    }
}
