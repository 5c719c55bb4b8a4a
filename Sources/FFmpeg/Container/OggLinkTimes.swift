internal import CFFmpeg

/// The times of chained Ogg audio (RFC 3533, section 4), as internet radio sends it: independent streams, the links,
/// follow one another.
///
/// The times of each link begin again, and count samples at its own rate. libav delivers them as ticks of the first
/// link. Here each link begins where the previous one ends.
struct OggLinkTimes {
    private struct Link {
        /// The position of the page with its first packet.
        let position: Int64
        /// The tick at which the times of the link are zero.
        let zero: Int64
        let sampleRate: Int64
    }

    private struct Last {
        /// The time in its link, and the end in ticks.
        let time, end: Int64
        let isReliable: Bool
    }

    /// The largest number of links to record.
    private static let limit = 1024

    private let stream: Int32
    private let codec: AVCodecID
    /// The ticks per second.
    private let timescale: Int64
    /// The links that have been read, by position. They tell which link a seek has reached.
    private var links: [Link]
    private var link: Link
    /// The last packet, or nil after a seek.
    private var last: Last?
    /// Whether the last packet was a header, which begins another link.
    private var followsHeader = false
    /// The sample rate that the headers before the next packet declare.
    private var declaredRate: Int64?
    /// Whether the next packet is the first one after a seek.
    private var isAfterSeek = false
    /// The position of the first page after a seek. libav's times of its packets may be wrong.
    private var unreliablePage: Int64?

    /// Returns nil if the container is not Ogg with a single audio stream. libav reads no other chained streams.
    init?(_ session: InputSession) {
        let streams = session.streams.filter { $0.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC == 0 }
        guard session.formatName == "ogg", streams.count == 1, let stream = streams.first,
            let parameters = stream.pointee.codecpar, parameters.pointee.codec_type == AVMEDIA_TYPE_AUDIO,
            stream.pointee.time_base.num == 1, stream.pointee.time_base.den > 0
        else { return nil }
        self.init(
            stream: stream.pointee.index,
            codec: parameters.pointee.codec_id,
            timescale: Int64(stream.pointee.time_base.den)
        )
    }

    init(stream: Int32, codec: AVCodecID, timescale: Int64) {
        self.stream = stream
        self.codec = codec
        self.timescale = timescale
        link = Link(position: .min, zero: 0, sampleRate: timescale)
        links = [link]
    }

    /// Records that the next packet does not follow the last one.
    mutating func noteSeek() {
        last = nil
        followsHeader = false
        declaredRate = nil
        isAfterSeek = true
        unreliablePage = nil
    }

    /// Moves a packet to the timeline of the first link.
    mutating func setTime(of packet: UnsafeMutablePointer<AVPacket>) {
        guard packet.pointee.stream_index == stream else { return }
        if isHeader(packet) { return setTime(ofHeader: packet) }
        guard let time = ticks(packet.pointee.pts) else { return }
        let position = packet.pointee.pos
        if isAfterSeek {
            isAfterSeek = false
            unreliablePage = position
        }
        if let last, followsHeader || time < last.time && (last.isReliable || !isTimedByPage) {
            begin(packet, at: time, after: last)
        } else if last?.isReliable != true {
            link = links.last { $0.position <= position } ?? link
        }
        followsHeader = false
        declaredRate = nil
        packet.pointee.pts = link.zero &+ duration(time)
        if let decode = ticks(packet.pointee.dts) { packet.pointee.dts = link.zero &+ duration(decode) }
        packet.pointee.duration = duration(packet.pointee.duration)
        let end = packet.pointee.pts &+ packet.pointee.duration
        last = Last(time: time, end: end, isReliable: position != unreliablePage)
    }

    /// Begins a link with its first packet.
    private mutating func begin(_ packet: UnsafePointer<AVPacket>, at time: Int64, after last: Last) {
        let rate = declaredRate ?? link.sampleRate
        // What the decoder drops of the packet is before the start of the link.
        let start = time &+ PacketSideData.skippedAtStart(packet)
        let position = packet.pointee.pos
        link = Link(position: position, zero: last.end &- duration(start, at: rate), sampleRate: rate)
        let next = (links.lastIndex { $0.position < position } ?? -1) + 1
        if next < links.count, links[next].position == position {
            if last.isReliable { links[next] = link } else { link = links[next] }
        } else if last.isReliable, links.count < Self.limit {
            links.insert(link, at: next)
        }
    }

    /// Moves a header, which libav delivers as a packet, to the end of the previous link.
    private mutating func setTime(ofHeader packet: UnsafeMutablePointer<AVPacket>) {
        followsHeader = true
        declaredRate = sampleRate(ofHeader: packet) ?? declaredRate
        packet.pointee.duration = 0
        guard let last else { return }
        packet.pointee.pts = last.end
        packet.pointee.dts = last.end
    }

    /// Whether the times of the first page after a seek may be later than those of the next page.
    private var isTimedByPage: Bool { [AV_CODEC_ID_FLAC, AV_CODEC_ID_SPEEX].contains(codec) }

    /// Returns a number of samples of the present link in ticks.
    private func duration(_ count: Int64) -> Int64 { duration(count, at: link.sampleRate) }

    private func duration(_ count: Int64, at rate: Int64) -> Int64 {
        rate == timescale ? count : av_rescale(count, timescale, rate)
    }

    /// Returns whether a packet is a header of a link, not audio.
    private func isHeader(_ packet: UnsafePointer<AVPacket>) -> Bool {
        let bytes = Self.bytes(of: packet)
        return switch codec {
        case AV_CODEC_ID_VORBIS:
            [0x01, 0x03, 0x05].contains(bytes.first) && bytes.dropFirst().starts(with: "vorbis".utf8)
        case AV_CODEC_ID_OPUS: bytes.starts(with: "OpusHead".utf8) || bytes.starts(with: "OpusTags".utf8)
        // A metadata block has a type up to 6, and a frame begins with 0xFF.
        case AV_CODEC_ID_FLAC:
            bytes.starts(with: "\u{7F}FLAC".utf8) || bytes.first.map { 1...6 ~= $0 & 0x7F } ?? false
        case AV_CODEC_ID_SPEEX: bytes.starts(with: "Speex   ".utf8)
        default: false
        }
    }

    /// Returns the sample rate that the first header of a link declares, or nil for other headers. Opus always has the
    /// same one.
    private func sampleRate(ofHeader packet: UnsafePointer<AVPacket>) -> Int64? {
        let bytes = Self.bytes(of: packet)
        let rate: Int64
        switch codec {
        case AV_CODEC_ID_VORBIS where bytes.first == 0x01:
            rate = Self.number(bytes.dropFirst(12).prefix(4).reversed())
        case AV_CODEC_ID_FLAC where bytes.first == 0x7F:
            rate = Self.number(bytes.dropFirst(27).prefix(3)) >> 4
        case AV_CODEC_ID_SPEEX: rate = Self.number(bytes.dropFirst(36).prefix(4).reversed())
        default: return nil
        }
        return 1...Int64(Int32.max) ~= rate ? rate : nil
    }

    private static func number(_ bytes: some Sequence<UInt8>) -> Int64 {
        bytes.reduce(0) { $0 << 8 | Int64($1) }
    }

    private static func bytes(of packet: UnsafePointer<AVPacket>) -> UnsafeBufferPointer<UInt8> {
        guard let data = packet.pointee.data else { return UnsafeBufferPointer(start: nil, count: 0) }
        return UnsafeBufferPointer(start: data, count: Int(max(0, packet.pointee.size)))
    }
}
