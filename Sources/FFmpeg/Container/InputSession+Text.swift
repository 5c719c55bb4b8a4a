internal import MediaCore
internal import PlayheadBackend

extension InputSession {
    /// The number of bytes by which the format of a text is detected. libav begins with as many.
    private static let detectionByteCount = 2048

    /// Returns the text that libav reads instead of the source, or nil if the source is no text file of subtitles or
    /// needs no conversion.
    static func subtitleText(
        _ bridge: AVIOBridge,
        _ request: OpenRequest,
        head: [UInt8],
        name: String
    ) throws(MediaError) -> [UInt8]? {
        // WebVTT in HLS is UTF-8.
        let encoding = request.isSegmented ? nil : request.subtitleEncoding
        var format = request.container
        if format == nil, SubtitleText.canBegin(with: head) {
            let start = try SubtitleText.utf8(bridge.readHead(count: detectionByteCount), encoding: encoding)
            format = ContentProbe.format(of: start, name: name)?.name
        }
        guard let format, FormatPolicy.isTextOfSubtitles(format) else { return nil }
        let bytes = try bridge.readHead(count: SubtitleText.byteLimit + 1)
        // The bridge keeps the bytes, so libav can read a file that is too large from its start.
        guard bytes.count <= SubtitleText.byteLimit else { return nil }
        let text = SubtitleText.converted(bytes, format: format, encoding: encoding)
        return text == bytes ? nil : text
    }
}
