internal import CFFmpeg
internal import MediaCore
import PlayheadBackend

/// Creates the description of an open container.
enum MediaDescriber {
    static func describe(
        _ session: InputSession,
        timeline: TimelineZero
    ) throws(MediaError) -> MediaDescription {
        let context = try session.context
        let streams = session.streams
        let zero = timeline.zero(streams)
        let format = ColorNames.name(context.pointee.iformat?.pointee.name) ?? ""
        let scan = format.hasPrefix("mov") && !session.request.isSegmented ? MovieScan(session.reader) : nil
        let describer = TrackDescriber(
            context: context,
            request: session.request,
            timeline: timeline,
            zero: zero,
            protectedTracks: scan?.protectedTracks ?? []
        )
        var description = MediaDescription(formatName: format)
        description.startTime = zero
        description.tracks = streams.map { describer.describe($0) }
        markMainProgram(context, &description.tracks)
        description.metadata = OptionDictionary.read(context.pointee.metadata)
        description.chapters = chapters(context, zero: zero)
        if let scan {
            description.canContainFragments = scan.canContainFragments
            description.containsFragments = scan.containsFragments
            description.overallDurationHint = scan.durationHint
        }
        description.isSeekable = session.isSeekable
        description.isLocal = session.isLocal
        description.byteCount = session.byteCount
        // libav derives the duration and the bit rate from the lengths of the streams.
        if streams.allSatisfy({ describer.declaresLength($0) }) {
            description.bitRate = context.pointee.bit_rate > 0 ? context.pointee.bit_rate : nil
            setDuration(context, &description)
        }
        setUncompressedLength(session, &description)
        // libav takes the duration from the last link alone.
        let streamCount = description.tracks.filter { !$0.isAttachedPicture }.count
        if format == "ogg", streamCount == 1, description.duration.isNumeric,
            OggPageScan.isChained(session.reader)
        {
            description.durationIsEstimate = true
        }
        if !description.isLocal, !session.request.isSegmented {
            description.byteMarks = ByteMarks.read(streams, description)
        }
        return description
    }

    /// Marks the tracks of the program that has the first video track as the default, if there are several programs, as
    /// in a transport stream of DVB. The first audio track may belong to another one, such as a radio program.
    private static func markMainProgram(
        _ context: UnsafeMutablePointer<AVFormatContext>,
        _ tracks: inout [Track]
    ) {
        guard context.pointee.nb_programs > 1, !tracks.contains(where: \.isDefault),
            let video = tracks.playable(.video).first,
            let program = av_find_program_from_stream(context, nil, Int32(clamping: video.id)),
            let streams = program.pointee.stream_index
        else { return }
        let ids = UnsafeBufferPointer(start: streams, count: Int(program.pointee.nb_stream_indexes))
        for index in tracks.indices where ids.contains(UInt32(clamping: tracks[index].id)) {
            tracks[index].isDefault = true
        }
    }

    private static func setDuration(
        _ context: UnsafeMutablePointer<AVFormatContext>,
        _ description: inout MediaDescription
    ) {
        let method = context.pointee.duration_estimation_method
        // Program streams declare no duration. libav takes it from the last timestamp, and several frames without
        // timestamps may follow. In transport streams, where libav does the same, usually every frame has one. NUT
        // declares the last timestamp, without the duration of that frame.
        let isTimestampEstimate =
            description.formatName == "nut"
            || method == AVFMT_DURATION_FROM_PTS && description.formatName == "mpeg"
        let isEstimate = method == AVFMT_DURATION_FROM_BITRATE || isTimestampEstimate
        let ends = description.tracks.filter {
            ($0.mediaType == .video || $0.mediaType == .audio) && !$0.isAttachedPicture
                && $0.timeRange.duration.isNumeric
        }.map(\.timeRange.end).filter(\.isNumeric)
        // Containers with a duration per track store it in ticks, while libav's total is rounded to microseconds.
        let usesTracks = description.formatName.hasPrefix("mov") || context.pointee.duration <= 0
        if usesTracks, let end = ends.max(), end > .zero {
            description.duration = end
        } else if let whole = ticks(context.pointee.duration), whole > 0 {
            description.duration = MediaTime(value: whole, timescale: Int32(AV_TIME_BASE))
        }
        // Some Matroska writers count the duration from the first frame, others (FFmpeg) from zero.
        let startsLate = description.formatName.hasPrefix("matroska") && description.startTime > .zero
        if startsLate, description.duration > description.startTime {
            description.duration = description.duration - description.startTime
        }
        let isUncertain = isEstimate || startsLate || isImplausible(description)
        description.durationIsEstimate = description.duration.isNumeric && isUncertain
    }

    /// Sets the length that a file of uncompressed audio declares, if libav does not use it.
    private static func setUncompressedLength(
        _ session: InputSession,
        _ description: inout MediaDescription
    ) {
        let format = description.formatName
        guard ["wav", "w64", "aiff", "au"].contains(format), !session.request.isSegmented,
            let index = description.tracks.firstIndex(where: { $0.mediaType == .audio })
        else { return }
        let id = description.tracks[index].id
        guard let stream = session.streams.first(where: { Int($0.pointee.index) == id }),
            let parameters = stream.pointee.codecpar?.pointee
        else { return }
        // Zero if the codec compresses.
        let bitCount = Int64(av_get_exact_bits_per_sample(parameters.codec_id))
        guard bitCount > 0 else { return }
        if description.durationIsEstimate || !description.duration.isNumeric {
            let channelCount = Int64(description.tracks[index].channelCount)
            guard format == "wav" || format == "w64", channelCount > 0, parameters.sample_rate > 0,
                let byteCount = WaveScan.audioByteCount(isWave64: format == "w64", read: session.bytes)
            else { return }
            let sampleCount = byteCount * 8 / (bitCount * channelCount)
            var declared = description
            declared.duration = MediaTime(value: sampleCount, timescale: parameters.sample_rate)
            declared.tracks[index].timeRange.duration = declared.duration
            declared.durationIsEstimate = false
            if isImplausible(declared) { return }
            description = declared
        }
        description.durationIsExact = !description.durationIsEstimate
    }

    /// Returns whether the duration is longer than an hour at less than 50 bits per second, which indicates a wrong
    /// header.
    private static func isImplausible(_ description: MediaDescription) -> Bool {
        guard let bytes = description.byteCount, let nanoseconds = description.duration.nanoseconds else {
            return false
        }
        let seconds = nanoseconds / 1_000_000_000
        guard seconds > 3600 else { return false }
        let (bits, overflow) = bytes.multipliedReportingOverflow(by: 8)
        return !overflow && bits / seconds < 50
    }

    /// Returns the chapters that the media reaches, in order. Containers may list them in any order, and may let them
    /// begin before the media.
    private static func chapters(
        _ context: UnsafeMutablePointer<AVFormatContext>,
        zero: MediaTime
    ) -> [Chapter] {
        let chapters = (0..<Int(context.pointee.nb_chapters)).compactMap { index -> Chapter? in
            guard let chapter = context.pointee.chapters[index]?.pointee, let first = ticks(chapter.start)
            else {
                return nil
            }
            let mapping = TimeMapping(timeBase: chapter.time_base, zero: zero)
            guard let start = mapping.itemTime(Optional(first)) else { return nil }
            var duration = MediaTime.indefinite
            if let last = ticks(chapter.end) {
                let (length, overflow) = last.subtractingReportingOverflow(first)
                if !overflow && length >= 0 { duration = mapping.sourceTime(length) }
            }
            let clampedStart = max(start, .zero)
            if duration.isNumeric, start < .zero {
                duration = start + duration
                if duration <= .zero { return nil }
            }
            let title = OptionDictionary.read(chapter.metadata)["title"]
            return Chapter(title: title, timeRange: MediaTimeRange(start: clampedStart, duration: duration))
        }
        return chapters.sorted { $0.timeRange.start < $1.timeRange.start }
    }
}
