internal import CFFmpeg
internal import MediaCore

/// Finds the container time that corresponds to zero on the item's timeline: the start of the first audio or video
/// track.
struct TimelineZero {
    /// The earliest start time that is still regarded as encoder delay, which containers write as negative time. An
    /// earlier start is content.
    private static let earliestPrimingTime = MediaTime(value: -1, timescale: 10)

    /// Whether the container declares when the first frame of a video stream is decoded, not when it is presented.
    private let declaresDecodingStart: Bool
    /// The start times found in the first packets, for streams whose header declares none.
    private var observedStarts: [Int32: Int64] = [:]
    /// The times at which the first frames of video streams are presented, if their packets have only decode times.
    private var derivedStarts: [Int32: Int64] = [:]

    /// Creates the state before the first packet. `formatName` is libav's name of the container.
    init(formatName: String) { declaresDecodingStart = ["avi", "gxf"].contains(formatName) }

    /// Records a packet that was read from the start of the container, in reading order.
    mutating func record(_ packet: UnsafePointer<AVPacket>, of stream: UnsafePointer<AVStream>) {
        let index = packet.pointee.stream_index
        deriveStart(packet, of: stream)
        guard observedStarts[index] == nil, packet.pointee.pts != PH_NOPTS else { return }
        let isAudio = stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_AUDIO
        if !isAudio && packet.pointee.flags & AV_PKT_FLAG_DISCARD != 0 { return }
        var start = packet.pointee.pts
        let rate = stream.pointee.codecpar.pointee.sample_rate
        if isAudio && rate > 0 && stream.pointee.time_base.isPositive {
            let skipped = PacketSideData.skippedAtStart(packet)
            start = start &+ av_rescale_q(skipped, AVRational(num: 1, den: rate), stream.pointee.time_base)
        }
        observedStarts[index] = start
    }

    /// Derives the start of a stream that begins with a packet without a presentation time.
    ///
    /// In raw MPEG-2, AVI and GXF, at most the B-frames have one if there are any. The key frame, which is decoded
    /// first, is presented before them, later than it is decoded by the number of frames that the decoder holds.
    private mutating func deriveStart(_ packet: UnsafePointer<AVPacket>, of stream: UnsafePointer<AVStream>) {
        let index = packet.pointee.stream_index
        guard derivedStarts[index] == nil, observedStarts[index] == nil,
            declaredStart(of: stream) == nil, packet.pointee.pts == PH_NOPTS,
            packet.pointee.dts != PH_NOPTS, packet.pointee.duration > 0,
            packet.pointee.flags & AV_PKT_FLAG_KEY != 0, let parameters = stream.pointee.codecpar,
            parameters.pointee.codec_type == AVMEDIA_TYPE_VIDEO
        else { return }
        let (delay, overflow) = packet.pointee.duration.multipliedReportingOverflow(
            by: Int64(max(0, parameters.pointee.video_delay))
        )
        if !overflow { derivedStarts[index] = packet.pointee.dts &+ delay }
    }

    /// Returns the first timestamp of a stream in its own ticks, or nil if it is not known yet.
    func start(of stream: UnsafePointer<AVStream>) -> Int64? {
        let index = stream.pointee.index
        let derived = derivedStarts[index]
        guard let start = declaredStart(of: stream) ?? observedStarts[index] else {
            // In H.264, no packet follows that has a presentation time.
            return declaresDecodingStart ? derived : nil
        }
        return min(start, derived ?? start)
    }

    /// Returns the presentation time at which a stream starts according to its header, or nil if it declares none.
    private func declaredStart(of stream: UnsafePointer<AVStream>) -> Int64? {
        let isVideo = stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO
        return declaresDecodingStart && isVideo ? nil : ticks(stream.pointee.start_time)
    }

    /// Returns true if reading on cannot reveal any more start times.
    func isComplete(_ streams: [UnsafeMutablePointer<AVStream>]) -> Bool {
        streams.allSatisfy { !TimelineZero.definesTimeline($0) || start(of: $0) != nil }
    }

    func zero(_ streams: [UnsafeMutablePointer<AVStream>]) -> MediaTime {
        var earliest: MediaTime?
        for stream in streams where TimelineZero.definesTimeline(stream) {
            guard let ticks = start(of: stream), stream.pointee.time_base.isPositive else { continue }
            var time = TimeMapping.time(ticks, timeBase: stream.pointee.time_base.rational)
            guard time.isNumeric else { continue }
            let isAudio = stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_AUDIO
            if isAudio && time < .zero && time >= TimelineZero.earliestPrimingTime { time = .zero }
            if earliest.map({ time < $0 }) ?? true { earliest = time }
        }
        return earliest ?? .zero
    }

    /// Returns whether a stream defines the timeline. Audio and video do; cover art, text and data do not.
    static func definesTimeline(_ stream: UnsafePointer<AVStream>) -> Bool {
        guard let parameters = stream.pointee.codecpar else { return false }
        if stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0 { return false }
        let type = parameters.pointee.codec_type
        return type == AVMEDIA_TYPE_VIDEO || type == AVMEDIA_TYPE_AUDIO
    }
}

/// Reads the side data of packets.
enum PacketSideData {
    /// Returns the number of samples that the decoder will drop from the start of the packet.
    static func skippedAtStart(_ packet: UnsafePointer<AVPacket>) -> Int64 {
        skipSamples(packet)?.start ?? 0
    }

    static func skipSamples(_ packet: UnsafePointer<AVPacket>) -> (start: Int64, end: Int64)? {
        var size = 0
        guard let data = av_packet_get_side_data(packet, AV_PKT_DATA_SKIP_SAMPLES, &size), size >= 10 else {
            return nil
        }
        return (Int64(ph_read_le32(data)), Int64(ph_read_le32(data + 4)))
    }
}
