internal import CFFmpeg
internal import MediaCore
internal import PlayheadBackend

/// Creates the description of a stream of an open container.
struct TrackDescriber {
    let context: UnsafeMutablePointer<AVFormatContext>
    let request: OpenRequest
    let timeline: TimelineZero
    /// The container time that corresponds to zero on the item's timeline.
    let zero: MediaTime
    /// The `AVStream.id` values of the tracks that are known to be encrypted.
    let protectedTracks: Set<Int32>

    func describe(_ stream: UnsafeMutablePointer<AVStream>) -> Track {
        guard let parameters = stream.pointee.codecpar else {
            return Track(
                id: Int(stream.pointee.index),
                mediaType: .unknown,
                codec: "none",
                timeBase: Rational(1, 1)
            )
        }
        let metadata = OptionDictionary.read(stream.pointee.metadata)
        let disposition = stream.pointee.disposition
        var track = Track(
            id: Int(stream.pointee.index),
            mediaType: mediaType(parameters.pointee.codec_type),
            codec: String(cString: avcodec_get_name(parameters.pointee.codec_id)),
            timeBase: stream.pointee.time_base.rational
        )
        track.profile = ColorNames.name(
            avcodec_profile_name(parameters.pointee.codec_id, parameters.pointee.profile)
        )
        track.language = metadata["language"].flatMap { $0 == "und" || $0.isEmpty ? nil : $0 }
        track.title = metadata["title"] ?? metadata["handler_name"].flatMap { $0.isEmpty ? nil : $0 }
        track.timeRange = timeRange(stream)
        track.frameCount =
            stream.pointee.nb_frames > 0 && declaresLength(stream) ? Int(stream.pointee.nb_frames) : nil
        track.bitRate = parameters.pointee.bit_rate > 0 ? parameters.pointee.bit_rate : nil
        track.isDefault = disposition & AV_DISPOSITION_DEFAULT != 0
        track.dispositions = Set(
            (0..<31).map { Int32(1) << $0 }.filter { disposition & $0 != 0 }
                .compactMap { av_disposition_to_string($0).map { String(cString: $0) } }
        )
        track.isForced = disposition & AV_DISPOSITION_FORCED != 0
        track.isAttachedPicture = disposition & AV_DISPOSITION_ATTACHED_PIC != 0
        if track.isAttachedPicture { track.attachedPictureData = pictureData(stream.pointee.attached_pic) }
        track.metadata = metadata
        if track.mediaType == .video { describeVideo(stream, parameters, &track) }
        if track.mediaType == .audio { describeAudio(parameters, &track) }
        track.hasProtectedContent = isProtected(stream, parameters)
        track.unplayableReason = unplayableReason(stream, parameters, track)
        return track
    }

    /// Copies the bytes of an attached picture, which libav frees when the container is closed.
    private func pictureData(_ packet: AVPacket) -> [UInt8]? {
        guard let data = packet.data, 1...FFmpegDemuxer.attachedPictureLimit ~= Int(packet.size) else {
            return nil
        }
        return Array(UnsafeBufferPointer(start: data, count: Int(packet.size)))
    }

    private func mediaType(_ type: AVMediaType) -> MediaType {
        switch type {
        case AVMEDIA_TYPE_VIDEO: .video
        case AVMEDIA_TYPE_AUDIO: .audio
        case AVMEDIA_TYPE_SUBTITLE: .subtitle
        case AVMEDIA_TYPE_DATA: .data
        case AVMEDIA_TYPE_ATTACHMENT: .attachment
        default: .unknown
        }
    }

    private func describeVideo(
        _ stream: UnsafeMutablePointer<AVStream>,
        _ parameters: UnsafeMutablePointer<AVCodecParameters>,
        _ track: inout Track
    ) {
        let format = AVPixelFormat(parameters.pointee.format)
        track.naturalSize = PixelSize(
            width: Int(max(0, parameters.pointee.width)),
            height: Int(max(0, parameters.pointee.height))
        )
        let aspect = av_guess_sample_aspect_ratio(context, stream, nil)
        if aspect.isPositive { track.pixelAspectRatio = aspect.rational }
        let transform = DisplayTransform(stream)
        track.preferredRotation = transform.rotation
        track.isMirrored = transform.isMirrored
        track.color = ColorNames.describe(
            primaries: parameters.pointee.color_primaries,
            transfer: parameters.pointee.color_trc,
            matrix: parameters.pointee.color_space,
            range: parameters.pointee.color_range,
            chroma: parameters.pointee.chroma_location,
            pixelFormat: format
        )
        track.masteringDisplay = HDRMetadata.masteringDisplay(of: stream)
        track.contentLightLevel = HDRMetadata.contentLightLevel(of: stream)
        track.sampleLayout = ColorNames.pixelFormat(format).rawValue
        let tag = parameters.pointee.codec_tag
        if tag != 0, formatName.hasPrefix("mov,") { track.sampleEntryType = tag.byteSwapped }
        let guessed = av_guess_frame_rate(context, stream, nil)
        let rate = guessed.isPositive ? guessed : stream.pointee.avg_frame_rate
        // That of an attached picture is the inverse of the time base.
        if rate.isPositive, !track.isAttachedPicture { track.nominalFrameRate = rate.rational }
    }

    private func describeAudio(_ parameters: UnsafeMutablePointer<AVCodecParameters>, _ track: inout Track) {
        track.sampleRate = Int(max(0, parameters.pointee.sample_rate))
        track.sampleLayout = ColorNames.sampleFormat(AVSampleFormat(parameters.pointee.format)).rawValue
        var layout = AVChannelLayout()
        if av_channel_layout_copy(&layout, &parameters.pointee.ch_layout) >= 0 {
            track.channelLayout = ColorNames.channelLayout(&layout)
            av_channel_layout_uninit(&layout)
        }
    }

    private var formatName: String { ColorNames.name(context.pointee.iformat?.pointee.name) ?? "" }

    /// Whether the streams have durations of their own. For these containers, libav copies that of the file to each.
    private var declaresTrackDurations: Bool { !["asf", "wtv"].contains(formatName) }

    /// Returns whether the length of a stream is that of its content.
    ///
    /// FFmpeg's AVI writer declares this number of frames, and its RealMedia writer an hour in milliseconds, until it
    /// has written everything. Neither can replace it in a pipe.
    func declaresLength(_ stream: UnsafePointer<AVStream>) -> Bool {
        switch formatName {
        case "avi": stream.pointee.nb_frames != 1 << 30
        case "rm": stream.pointee.duration != 3_600_000
        default: true
        }
    }

    private func timeRange(_ stream: UnsafeMutablePointer<AVStream>) -> MediaTimeRange {
        let mapping = TimeMapping(timeBase: stream.pointee.time_base, zero: zero)
        // For text and data, libav only estimates the start, and only if it has analyzed the file.
        let first = TimelineZero.definesTimeline(stream) ? timeline.start(of: stream) : nil
        let start = mapping.itemTime(first) ?? .zero
        let isDeclared = declaresTrackDurations && declaresLength(stream)
        let declared = isDeclared ? ticks(stream.pointee.duration) : nil
        let duration = declared.flatMap { mapping.duration($0) } ?? .indefinite
        return MediaTimeRange(
            start: start.isNumeric ? start : .zero,
            duration: duration.isNumeric ? duration : .indefinite
        )
    }

    private func isProtected(
        _ stream: UnsafeMutablePointer<AVStream>,
        _ parameters: UnsafeMutablePointer<AVCodecParameters>
    ) -> Bool {
        if protectedTracks.contains(stream.pointee.id) { return true }
        let tag = parameters.pointee.codec_tag
        var size = 0
        return tag == ph_tag(0x65, 0x6E, 0x63, 0x76) || tag == ph_tag(0x65, 0x6E, 0x63, 0x61)
            || ph_stream_side_data(stream, AV_PKT_DATA_ENCRYPTION_INIT_INFO, &size) != nil
    }

    private func unplayableReason(
        _ stream: UnsafeMutablePointer<AVStream>,
        _ parameters: UnsafeMutablePointer<AVCodecParameters>,
        _ track: Track
    ) -> String? {
        if track.hasProtectedContent { return "the track is encrypted" }
        // `ID3Decoder` is not libav's.
        if track.codec != "timed_id3", avcodec_find_decoder(parameters.pointee.codec_id) == nil {
            return "no decoder for \(track.codec == "none" ? "this type of track" : track.codec)"
        }
        let (pixels, overflow) = track.naturalSize.width.multipliedReportingOverflow(
            by: track.naturalSize.height
        )
        if overflow || pixels > request.maximumPixelCount {
            return "frames of \(track.naturalSize) pixels are larger than the limit"
        }
        return nil
    }
}
