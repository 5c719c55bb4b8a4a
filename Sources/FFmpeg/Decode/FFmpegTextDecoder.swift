internal import CFFmpeg
package import MediaCore
package import PlayheadBackend

/// A decoder for a subtitle track that uses libavcodec. libavcodec converts all text formats to ASS events, whose
/// markup is removed.
///
/// `@unchecked Sendable`: all members are only used on the caller's lane, as `TextDecoder` requires.
final class FFmpegTextDecoder: TextDecoder, @unchecked Sendable {
    private let track: Int
    private let location: String
    private let log = LibraryLog()
    private let codec: CodecContext
    private let fieldCount: Int

    /// Creates a decoder. With `hasOwnFields`, the events have the fields that the header of the container declares.
    init(
        stream: UnsafeMutablePointer<AVStream>,
        track: Track,
        location: String,
        hasOwnFields: Bool
    ) throws(MediaError) {
        self.track = track.id
        self.location = location
        let parameters = try CodecParameters(copying: stream.pointee.codecpar)
        let descriptor = avcodec_descriptor_get(parameters.pointer.pointee.codec_id)
        let kind = descriptor?.pointee.props ?? Int32(AV_CODEC_PROP_TEXT_SUB)
        guard kind & Int32(AV_CODEC_PROP_TEXT_SUB) != 0 else {
            throw MediaError(
                .decoderNotFound,
                "\(track.codec) subtitles are bitmaps, not text",
                location: location,
                track: track.id
            )
        }
        let header = parameters.pointer.pointee
        fieldCount =
            hasOwnFields && header.extradata != nil
            ? PlainText.fieldCount(
                header: String(
                    decoding: UnsafeRawBufferPointer(
                        start: header.extradata,
                        count: Int(max(0, header.extradata_size))
                    ),
                    as: UTF8.self
                )
            ) : PlainText.fieldCount
        do throws(MediaError) {
            codec = try CodecContext(
                parameters: parameters.pointer,
                timeBase: stream.pointee.time_base,
                threads: ThreadPlan(count: 1, kind: .slice),
                maximumPixelCount: 1 << 20,
                log: log
            )
        } catch {
            throw error.at(location: location, track: track.id)
        }
    }

    func decode(_ packet: Packet) throws(MediaError) -> [TextCue] {
        guard let payload = packet.payload as? FFmpegPacketPayload, let start = packet.presentationTime else {
            return []
        }
        // The decoder writes to its packet, so it gets a reference of its own.
        let scratch = try PacketOwner()
        guard av_packet_ref(scratch.pointer, payload.owner.pointer) >= 0 else {
            throw MediaError(.resourceLimit, "no memory for a packet", isRetryable: true)
        }
        var subtitle = AVSubtitle()
        var isThere: Int32 = 0
        log.clear()
        let code = log.capture {
            avcodec_decode_subtitle2(codec.pointer, &subtitle, &isThere, scratch.pointer)
        }
        guard code >= 0 else {
            let error = LibraryError.make(
                code,
                "cannot decode a subtitle",
                fallback: .decodeFailed,
                log: log
            )
            throw error.at(location: location, track: track)
        }
        guard isThere != 0 else { return [] }
        defer { avsubtitle_free(&subtitle) }
        let range = MediaTimeRange(start: start, duration: packet.duration ?? .indefinite)
        let settings = Self.sideText(scratch.pointer, AV_PKT_DATA_WEBVTT_SETTINGS)
        return (0..<Int(subtitle.num_rects)).compactMap { index in
            guard let text = subtitle.rects[index].flatMap(text), !text.isEmpty else { return nil }
            return TextCue(text: text, timeRange: range, track: track, settings: settings)
        }
    }

    func flush() { avcodec_flush_buffers(codec.pointer) }

    private func text(_ rect: UnsafeMutablePointer<AVSubtitleRect>) -> String? {
        switch rect.pointee.type {
        case SUBTITLE_ASS:
            rect.pointee.ass.map { PlainText.ofEvent(String(cString: $0), fieldCount: fieldCount) }
        case SUBTITLE_TEXT: rect.pointee.text.map { String(cString: $0) }
        default: nil
        }
    }

    private static func sideText(
        _ packet: UnsafePointer<AVPacket>,
        _ type: AVPacketSideDataType
    ) -> String? {
        var size = 0
        guard let data = av_packet_get_side_data(packet, type, &size), size > 0 else { return nil }
        let text = String(decoding: UnsafeRawBufferPointer(start: data, count: size), as: UTF8.self)
        return text.isEmpty ? nil : text
    }
}

/// Removes the markup of ASS text.
enum PlainText {
    /// The number of fields before the text of an event as libavcodec writes it.
    static let fieldCount = 8

    /// Returns the number of fields before the text as the header of a file declares it. The events of a file have a
    /// number instead of a start and an end.
    static func fieldCount(header: String) -> Int {
        let lines = header.split(whereSeparator: \.isNewline).drop { !$0.hasPrefix("[Events]") }
        guard let line = lines.first(where: { $0.hasPrefix("Format:") }) else { return fieldCount }
        let names = line.dropFirst("Format:".count).split(separator: ",").map {
            $0.filter { !$0.isWhitespace }.lowercased()
        }
        guard names.last == "text" else { return fieldCount }
        return names.filter { $0 != "start" && $0 != "end" }.count
    }

    /// Returns the text of an event: "ReadOrder,Layer,Style,Name,MarginL,MarginR,MarginV,Effect,Text".
    static func ofEvent(_ event: String, fieldCount: Int = fieldCount) -> String {
        let fields = event.split(separator: ",", maxSplits: fieldCount, omittingEmptySubsequences: false)
        return fields.count > fieldCount ? ofMarkup(fields[fieldCount]) : ""
    }

    static func ofMarkup(_ markup: Substring) -> String {
        var text = ""
        var isDrawing = false
        var rest = markup
        while let character = rest.popFirst() {
            if character == "{", let end = rest.firstIndex(of: "}") {
                isDrawing = draws(rest[..<end]) ?? isDrawing
                rest = rest[rest.index(after: end)...]
                continue
            }
            // The commands of vector drawings are written as text and are skipped.
            if isDrawing { continue }
            guard character == "\\", let next = rest.first else {
                if character != "\r\n", character != "\r" { text.append(character) } else { text += "\n" }
                continue
            }
            switch next {
            case "N", "n": text += "\n"
            case "h": text += "\u{A0}"
            case "{", "}", "\\": text.append(next)
            default:
                text += "\\"
                continue
            }
            rest.removeFirst()
        }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return text
    }

    /// Returns whether a block of overrides begins or ends a drawing ("\p1", "\p0"), or nil if it does neither.
    private static func draws(_ overrides: Substring) -> Bool? {
        var result: Bool?
        for tag in overrides.split(separator: "\\") where tag.first == "p" {
            if let scale = Int(tag.dropFirst().prefix { $0.isNumber }) { result = scale > 0 }
        }
        return result
    }
}

extension FFmpegDemuxer {
    package func makeTextDecoder(for track: Int) throws(MediaError) -> Poll<any TextDecoder> {
        .ready(try textDecoder(for: track))
    }

    private func textDecoder(for track: Int) throws(MediaError) -> any TextDecoder {
        let (session, description) = try opened()
        guard
            let described = description.tracks.first(where: {
                $0.id == track && ($0.mediaType == .subtitle || $0.mediaType == .data)
            }),
            let stream = session.streams.first(where: { Int($0.pointee.index) == track })
        else {
            throw MediaError(
                .invalidArgument,
                "no text track \(track)",
                location: request.location
            )
        }
        if described.codec == "timed_id3" { return ID3Decoder() }
        return try FFmpegTextDecoder(
            stream: stream,
            track: described,
            location: request.location,
            hasOwnFields: description.formatName == "ass"
        )
    }
}
