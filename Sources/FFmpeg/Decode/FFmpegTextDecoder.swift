internal import CFFmpeg
package import MediaCore
package import PlayheadBackend

/// A decoder for a subtitle track that uses libavcodec. libavcodec converts all text formats to ASS events. The text of
/// a cue is that of its event without markup, and the event itself is kept for drawing.
///
/// `@unchecked Sendable`: all members are only used on the caller's lane, as `TextDecoder` requires.
final class FFmpegTextDecoder: TextDecoder, @unchecked Sendable {
    private let track: Int
    private let location: String
    private let log = LibraryLog()
    private let codec: CodecContext
    private let fieldCount: Int
    private let script: ASSScript

    /// Creates a decoder. With `hasOwnFields`, the events have the fields that the header of the container declares.
    /// `fonts` are those of the container. The canvas of bitmaps may be as large as a frame.
    init(
        stream: UnsafeMutablePointer<AVStream>,
        track: Track,
        location: String,
        hasOwnFields: Bool,
        fonts: [ASSScript.Font],
        maximumPixelCount: Int
    ) throws(MediaError) {
        self.track = track.id
        self.location = location
        let parameters = try CodecParameters(copying: stream.pointee.codecpar)
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
                maximumPixelCount: maximumPixelCount,
                log: log
            )
        } catch {
            throw error.at(location: location, track: track.id)
        }
        let context = codec.pointer.pointee
        let script = UnsafeRawBufferPointer(
            start: context.subtitle_header,
            count: context.subtitle_header == nil ? 0 : Int(max(0, context.subtitle_header_size))
        )
        // In containers, events have these fields, whatever the header declares.
        self.script = ASSScript(
            header: Array(script) + (hasOwnFields ? [] : Array("\n\n\(PlainText.fields)\n".utf8)),
            fonts: fonts
        )
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
            // libav's text names an option of ffmpeg.
            let isUTF8 = log.text?.contains("Invalid UTF-8") != true
            let error =
                isUTF8
                ? LibraryError.make(code, "cannot decode a subtitle", fallback: .decodeFailed, log: log)
                : MediaError(.decodeFailed, "a subtitle is not UTF-8 text", underlyingCode: code)
            throw error.at(location: location, track: track)
        }
        guard isThere != 0 else { return [] }
        defer { avsubtitle_free(&subtitle) }
        let rects = (0..<Int(subtitle.num_rects)).compactMap { subtitle.rects[$0] }
        let range = MediaTimeRange(start: start, duration: packet.duration ?? .indefinite)
        if let bitmap = SubtitleBitmap(rects, codec.pointer.pointee) {
            var cue = TextCue(text: "", timeRange: subtitle.range(in: range), track: track)
            cue.drawing = .bitmap(bitmap)
            return [cue]
        }
        let settings = Self.sideText(scratch.pointer, AV_PKT_DATA_WEBVTT_SETTINGS)
        return rects.compactMap { rect -> TextCue? in
            var cue = TextCue(text: "", timeRange: range, track: track, settings: settings)
            if rect.pointee.type == SUBTITLE_ASS, let line = rect.pointee.ass {
                let event = String(cString: line)
                cue.text = PlainText.ofEvent(event, fieldCount: fieldCount)
                cue.drawing = drawing(of: event)
            } else if rect.pointee.type == SUBTITLE_TEXT, let text = rect.pointee.text {
                cue.text = String(cString: text)
            }
            // An event without text may consist of shapes.
            return cue.text.isEmpty && cue.drawing == nil ? nil : cue
        }
    }

    func flush() { avcodec_flush_buffers(codec.pointer) }

    /// Returns the form in which an event is drawn, or nil if nothing follows its other fields.
    private func drawing(of event: String) -> CueDrawing? {
        let fields = event.split(separator: ",", maxSplits: fieldCount, omittingEmptySubsequences: false)
        guard fields.count > fieldCount, fields[fieldCount].contains(where: { !$0.isWhitespace }),
            let comma = event.firstIndex(of: ",")
        else { return nil }
        return .event(
            ASSEvent(
                fields: String(event[event.index(after: comma)...]),
                readOrder: Int(event[..<comma]) ?? 0,
                script: script
            )
        )
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
            hasOwnFields: description.formatName == "ass",
            fonts: Self.fonts(session.streams),
            maximumPixelCount: request.maximumPixelCount
        )
    }

    /// The largest total size of the fonts of a container that are read.
    private static let fontByteLimit = 64 << 20

    /// Returns the fonts that are attached to a container.
    private static func fonts(_ streams: [UnsafeMutablePointer<AVStream>]) -> [ASSScript.Font] {
        var bytes = 0
        return streams.compactMap { stream in
            guard let parameters = stream.pointee.codecpar,
                parameters.pointee.codec_type == AVMEDIA_TYPE_ATTACHMENT,
                [AV_CODEC_ID_TTF, AV_CODEC_ID_OTF].contains(parameters.pointee.codec_id),
                let data = parameters.pointee.extradata
            else { return nil }
            let count = Int(max(0, parameters.pointee.extradata_size))
            bytes += count
            guard count > 0, bytes <= fontByteLimit else { return nil }
            let metadata = OptionDictionary.read(stream.pointee.metadata)
            return ASSScript.Font(
                name: metadata["filename"] ?? "font",
                bytes: Array(UnsafeRawBufferPointer(start: data, count: count))
            )
        }
    }
}
