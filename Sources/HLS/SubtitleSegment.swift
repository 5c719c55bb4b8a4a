internal import MediaCore
internal import PlayheadBackend

/// The text of a segment of WebVTT, as far as its times need it; libav takes it apart.
struct SubtitleSegment {
    let bytes: [UInt8]
    /// Seconds of the containers' time at the cue time 0, in ticks of 1/90000 s (`X-TIMESTAMP-MAP`, RFC 8216).
    let offset: Int64
    /// Some have a header alone.
    let hasCues: Bool

    /// More text is refused.
    static let byteLimit = 4 << 20
    /// Time stamps of a transport stream begin again from 0 behind this.
    private static let cycle: Int64 = 1 << 33

    init(_ bytes: [UInt8]) throws(MediaError) {
        self.bytes = bytes
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.hasPrefix("WEBVTT") || text.hasPrefix("\u{FEFF}WEBVTT") else {
            throw MediaError(.unrecognizedFormat, "this is no WebVTT", isRetryable: true)
        }
        hasCues = text.contains("-->")
        let head = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .prefix { !$0.isEmpty && !$0.contains("-->") }
        let map = head.first { $0.hasPrefix("X-TIMESTAMP-MAP=") }
        offset = map.map { Self.offset($0.dropFirst("X-TIMESTAMP-MAP=".count)) } ?? 0
    }

    /// "MPEGTS:900000,LOCAL:00:00:00.000", in either order. What is not there is 0.
    private static func offset(_ text: Substring) -> Int64 {
        var stamp: Int64 = 0
        var local: Int64 = 0
        for part in text.split(separator: ",") {
            let pair = part.split(separator: ":", maxSplits: 1).map { $0.filter { !$0.isWhitespace } }
            guard pair.count == 2 else { continue }
            if pair[0] == "MPEGTS" { stamp = Int64(pair[1]).map { $0 & (cycle - 1) } ?? 0 }
            if pair[0] == "LOCAL" { local = milliseconds(pair[1]) }
        }
        return stamp - local * 90
    }

    /// "00:01.500" or "01:00:01.500"; 0 for nonsense.
    private static func milliseconds(_ text: String) -> Int64 {
        var seconds = 0.0
        for part in text.split(separator: ":") {
            guard let number = Double(part), (0..<100_000).contains(number) else { return 0 }
            seconds = seconds * 60 + number
        }
        return Int64(min(seconds, 1e9) * 1000)
    }

    /// What is added to its times for those of a presentation whose containers' time `zero` is the beginning: stamps that have
    /// begun again from 0 are behind it.
    func shift(zero: MediaTime) -> MediaTime {
        let start = zero.microseconds / 100 * 9
        var ticks = offset
        if ticks - start < -Self.cycle / 2 { ticks += Self.cycle }
        if ticks - start > Self.cycle / 2 { ticks -= Self.cycle }
        return MediaTime(value: ticks, timescale: 90_000)
    }
}
