internal import CFFmpeg
internal import PlayheadBackend

/// Detects the kind of a file from its first bytes with libav's probes, within the format policy. It opens nothing.
package enum ContentProbe {
    /// The kind of content, as far as the format determines it.
    package enum Content: Hashable, Sendable {
        case image
        case audio
        /// A container that may hold video or only audio, depending on its tracks.
        case container
    }

    /// The number of bytes to pass, if the file has as many.
    package static let headByteCount = 64 << 10

    /// Returns the kind of content, or nil for anything that is not media, for subtitles without media, and for
    /// playlists. `name` is used only if the bytes are ambiguous, and never overrides them.
    package static func content(of head: [UInt8], name: String) -> Content? {
        guard !head.isEmpty, !PlaylistSignature.matches(head) else { return nil }
        // The ID3 tag may be longer than `head`, because it can contain a cover.
        if head.starts(with: "ID3".utf8) { return .audio }
        // An empty name makes libav judge only the bytes.
        guard let (format, score, extensions) = Self.format(of: head, name: ""),
            let content = FormatPolicy.content(of: format)
        else { return nil }
        // As in libav, a score of up to a quarter of the maximum is not sufficient by itself, and the file name
        // extension must match too. Up to an eighth, a score proves nothing: any text resembles an MPEG transport
        // stream to some degree, and may have the extension ".ts".
        if score > AVPROBE_SCORE_MAX / 4 { return content }
        let isLikely = score > AVPROBE_SCORE_MAX / 8
        return isLikely && av_match_ext(name, extensions) != 0 ? content : nil
    }

    /// Returns libav's name of the most likely format, its score, and the file name extensions of the format. Returns nil
    /// if the bytes and the extension of `name` resemble no format, or several to the same degree.
    static func format(of head: [UInt8], name: String)
        -> (name: String, score: Int32, extensions: UnsafePointer<CChar>?)?
    {
        var padded = head + [UInt8](repeating: 0, count: Int(AVPROBE_PADDING_SIZE))
        var score: Int32 = 0
        let found = padded.withUnsafeMutableBufferPointer { bytes in
            name.withCString { name in
                var data = AVProbeData()
                data.filename = name
                data.buf = bytes.baseAddress
                data.buf_size = Int32(clamping: head.count)
                return av_probe_input_format3(&data, 1, &score)
            }
        }
        guard let found, let format = found.pointee.name.map({ String(cString: $0) }) else { return nil }
        return (format, score, found.pointee.extensions)
    }
}
