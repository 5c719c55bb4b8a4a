internal import MediaCore
internal import PlayheadBackend

/// The text of a WebVTT segment and the offset of its times. libav parses the cues.
struct SubtitleSegment {
    let bytes: [UInt8]
    /// The container time that corresponds to cue time 0, in ticks of 1/90000 s (`X-TIMESTAMP-MAP`, RFC 8216, section
    /// 3.5).
    let offset: Int64
    /// The time of the first cue, in ticks of 1/90000 s.
    private let firstCueTime: Int64
    /// The start of the first cue in the time of the segment.
    var firstCueStart: MediaTime { MediaTime(value: firstCueTime, timescale: TimestampCycle.timescale) }
    /// Whether the segment has cues. Some segments consist of a header.
    let hasCues: Bool

    /// The maximum size of a segment in bytes.
    static let byteLimit = 4 << 20

    /// Parses the header of a segment.
    ///
    /// - Throws: `MediaError` if the text is not WebVTT.
    init(_ bytes: [UInt8]) throws(MediaError) {
        self.bytes = bytes
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.hasPrefix("WEBVTT") || text.hasPrefix("\u{FEFF}WEBVTT") else {
            throw MediaError(
                .unrecognizedFormat,
                "not WebVTT: it does not begin with WEBVTT",
                isRetryable: true
            )
        }
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let firstCue = lines.first { $0.contains("-->") }
        hasCues = firstCue != nil
        firstCueTime = firstCue.map(Self.startTime) ?? 0
        let head = lines.prefix { !$0.isEmpty && !$0.contains("-->") }
        let map = head.first { $0.hasPrefix("X-TIMESTAMP-MAP=") }
        offset = map.map { Self.offset($0.dropFirst("X-TIMESTAMP-MAP=".count)) } ?? 0
    }

    /// Parses "MPEGTS:900000,LOCAL:00:00:00.000", in either order. A missing part counts as 0.
    private static func offset(_ text: Substring) -> Int64 {
        var stamp: Int64 = 0
        var local: Int64 = 0
        for part in text.split(separator: ",") {
            let pair = part.split(separator: ":", maxSplits: 1).map { $0.filter { !$0.isWhitespace } }
            guard pair.count == 2 else { continue }
            if pair[0] == "MPEGTS" { stamp = Int64(pair[1]).map { $0 & (TimestampCycle.length - 1) } ?? 0 }
            if pair[0] == "LOCAL" { local = milliseconds(pair[1]) }
        }
        return stamp - local * 90
    }

    /// Returns the start time in the timing line of a cue, in ticks of 1/90000 s.
    private static func startTime(_ line: Substring) -> Int64 {
        milliseconds(line.prefix { $0 != "-" }.filter { !$0.isWhitespace }) * 90
    }

    /// Parses "00:01.500" or "01:00:01.500". Returns 0 for invalid text.
    private static func milliseconds(_ text: String) -> Int64 {
        var seconds = 0.0
        for part in text.split(separator: ":") {
            guard let number = Double(part), (0..<100_000).contains(number) else { return 0 }
            seconds = seconds * 60 + number
        }
        return Int64(clamping: min(seconds, 1e9) * 1000)
    }

    /// Returns the offset to add to cue times. Timestamps that have wrapped around are counted in the cycle in which
    /// the first cue is next to `time`, the container time at which the segment is expected to begin.
    func shift(near time: MediaTime) -> MediaTime {
        let cycles = TimestampCycle.offset(of: offset + firstCueTime, near: TimestampCycle.ticks(time))
        return MediaTime(value: offset + cycles, timescale: TimestampCycle.timescale)
    }
}
