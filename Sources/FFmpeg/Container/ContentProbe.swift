internal import CFFmpeg

/// What kind of file begins with certain bytes, by libav's own probes and within our policy. Opens nothing.
package enum ContentProbe {
    /// What the format alone tells.
    package enum Content: Hashable, Sendable {
        case image
        case audio
        /// A container that may hold video, or sound alone: its tracks tell.
        case container
    }

    /// Bytes to hand over, where the file has so many.
    package static let headByteCount = 64 << 10

    /// nil: no media, or subtitles alone, or a playlist. `name` decides only where the bytes are not sure, and never
    /// against them.
    package static func content(of head: [UInt8], name: String) -> Content? {
        guard !head.isEmpty, !FormatPolicy.startsPlaylist(head) else { return nil }
        // Its tag may be longer than what was read, with a cover in it.
        if head.starts(with: "ID3".utf8) { return .audio }
        var padded = head + [UInt8](repeating: 0, count: Int(AVPROBE_PADDING_SIZE))
        var score: Int32 = 0
        let found = padded.withUnsafeMutableBufferPointer { bytes in
            // Without a name, so that nothing but the bytes is judged.
            "".withCString { empty in
                var data = AVProbeData()
                data.filename = empty
                data.buf = bytes.baseAddress
                data.buf_size = Int32(clamping: head.count)
                return av_probe_input_format3(&data, 1, &score)
            }
        }
        guard let found, let format = found.pointee.name.map({ String(cString: $0) }),
            let content = FormatPolicy.content(of: format)
        else { return nil }
        // As libav itself: up to a quarter it would rather read on before it believes it. Then the name must say the same, and
        // below half of that it proves nothing: any text is an MPEG transport stream to some degree, and may end in ".ts".
        if score > AVPROBE_SCORE_MAX / 4 { return content }
        let isLikely = score > AVPROBE_SCORE_MAX / 8
        return isLikely && av_match_ext(name, found.pointee.extensions) != 0 ? content : nil
    }
}
