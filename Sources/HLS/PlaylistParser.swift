package import MediaCore

/// A parser for playlists (RFC 8216). It performs no I/O.
///
/// It accepts any bytes. Unknown tags are ignored, as the RFC requires. Tags that would lead to wrong bytes or times
/// are errors with a line number.
package struct PlaylistParser {
    private let base: PlaylistBase
    private let limits: PlaylistLimits
    private var line = 0
    private var master = MasterPlaylist(variants: [], renditions: [])
    private var media = MediaPlaylist(
        kind: .live,
        hasEnded: false,
        targetDuration: 0,
        segments: []
    )
    /// The preferred start, which both kinds of playlists can declare.
    private var start: PlaylistStart?
    private var isMaster = false
    private var isMedia = false
    /// The variant stream whose URI follows.
    private var variant: MasterPlaylist.Variant?
    private var next = NextSegment()
    /// The total length of the URLs of variants and renditions in bytes.
    private var urlByteCount = 0

    /// The properties of the media segment whose URI follows.
    private struct NextSegment {
        var duration: Int64?
        var sequence: Int64 = 0
        var discontinuity: Int64 = 0
        var range: (count: Int64, start: Int64?)?
        var map: PlaylistResource?
        var mapKey: PlaylistKey?
        /// The last supported source of the key, or otherwise the first source.
        var key: PlaylistKey?
        /// Whether the previous tag was EXT-X-KEY, too. Adjacent tags are alternative sources of the same key.
        var continuesKeyList = false
        var date: Int64?
        var isGap = false
        /// The end of the previous byte range, and its resource.
        var end: (reference: PlaylistReference, offset: Int64)?

        /// Adds an alternative source of the key. A source of the same format replaces the one before.
        mutating func add(_ other: PlaylistKey) {
            switch (key, other) {
            case (nil, _), (_, .aes128): key = other
            default: break
            }
        }
    }

    /// Parses a playlist.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of the playlist.
    ///   - base: The URL of the playlist, to which its URIs are relative.
    ///   - limits: The limits for its size.
    /// - Returns: The playlist with absolute URLs.
    /// - Throws: `MediaError` with the number of the line that is invalid.
    package static func parse(
        _ bytes: [UInt8],
        at base: String,
        limits: PlaylistLimits = PlaylistLimits()
    ) throws(MediaError) -> Playlist {
        var parser = PlaylistParser(base: base, limits: limits)
        return try parser.run(bytes)
    }

    private init(base: String, limits: PlaylistLimits) {
        self.base = PlaylistBase(base)
        self.limits = limits
    }

    private mutating func run(_ bytes: [UInt8]) throws(MediaError) -> Playlist {
        guard bytes.count <= limits.byteCount else {
            throw MediaError(.exceedsLimits, "playlist too large (limit \(limits.byteCount >> 20) MiB)")
        }
        // Check the limit before values are created.
        guard Self.urlCount(bytes) <= max(limits.segmentCount, limits.variantCount) else {
            throw limitError("segments", limits.segmentCount)
        }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        var isFirst = true
        var rest = bytes.starts(with: mark) ? bytes[3...] : bytes[...]
        while !rest.isEmpty {
            line += 1
            let end = rest.firstIndex { $0 == 0x0A || $0 == 0x0D } ?? rest.endIndex
            let text = Self.trimmed(rest[..<end])
            rest = rest[end...]
            rest = rest.starts(with: [0x0D, 0x0A]) ? rest.dropFirst(2) : rest.dropFirst()
            if isFirst, text != "#EXTM3U" {
                throw syntaxError("not a playlist: it does not begin with #EXTM3U")
            }
            if !isFirst, !text.isEmpty { try parseLine(text[...]) }
            isFirst = false
        }
        if isFirst { throw syntaxError("not a playlist: it is empty") }
        return try finish()
    }

    /// Returns the number of lines that are neither empty nor begin with "#".
    private static func urlCount(_ bytes: [UInt8]) -> Int {
        bytes.withUnsafeBufferPointer { bytes in
            var count = 0
            var isStart = true
            for byte in bytes {
                if byte == 0x0A || byte == 0x0D {
                    isStart = true
                } else if isStart {
                    if byte != UInt8(ascii: "#") { count += 1 }
                    isStart = false
                }
            }
            return count
        }
    }

    private mutating func finish() throws(MediaError) -> Playlist {
        if isMaster && isMedia {
            throw MediaError(
                .unrecognizedFormat,
                "the playlist contains both variant streams and media segments"
            )
        }
        if isMaster {
            guard !master.variants.isEmpty else {
                throw MediaError(.noPlayableTracks, "the master playlist has no variant streams")
            }
            guard pairCount <= limits.pairCount else {
                throw limitError("pairs of a variant and an audio rendition", limits.pairCount)
            }
            master.start = start
            return .master(master)
        }
        media.start = start
        // A VOD playlist does not change and is not reloaded, even without EXT-X-ENDLIST (RFC 8216, section 6.3.4).
        if media.kind == .vod { media.hasEnded = true }
        if media.hasEnded { media.kind = .vod }
        if media.targetDuration == 0 { media.targetDuration = media.segments.map(\.duration).max() ?? 0 }
        return .media(media)
    }

    /// The number of pairs of a variant and one of its audio renditions. A description lists the tracks of each pair.
    private var pairCount: Int {
        var counts: [String: Int] = [:]
        for rendition in master.renditions where rendition.kind == .audio && rendition.url != nil {
            counts[rendition.group, default: 0] += 1
        }
        return master.variants.reduce(0) { $0 + ($1.audioGroup.flatMap { counts[$0] } ?? 0) }
    }

    /// Parses a line, which is not empty.
    private mutating func parseLine(_ text: Substring) throws(MediaError) {
        guard text.utf8.first == UInt8(ascii: "#") else { return try parseURI(text) }
        guard text.hasPrefix("#EXT") else { return }
        let colon = text.utf8.firstIndex(of: UInt8(ascii: ":"))
        let name = text[..<(colon ?? text.endIndex)]
        let value = colon.map { text[text.utf8.index(after: $0)...] } ?? ""
        if name != "#EXT-X-KEY" { next.continuesKeyList = false }
        switch name {
        case "#EXT-X-STREAM-INF", "#EXT-X-MEDIA", "#EXT-X-I-FRAME-STREAM-INF": try parseMasterTag(name, value)
        case "#EXTINF", "#EXT-X-BYTERANGE", "#EXT-X-KEY", "#EXT-X-MAP", "#EXT-X-DISCONTINUITY", "#EXT-X-GAP",
            "#EXT-X-PROGRAM-DATE-TIME":
            isMedia = true
            try parseSegmentTag(name, value)
        default: try parseMediaTag(name, value)
        }
    }

    // MARK: Variants

    private mutating func parseMasterTag(_ name: Substring, _ value: Substring) throws(MediaError) {
        isMaster = true
        let list = AttributeList(value)
        if name == "#EXT-X-MEDIA" { return try parseRendition(list) }
        // I-frame playlists are not supported.
        guard name == "#EXT-X-STREAM-INF" else { return }
        var variant = MasterPlaylist.Variant(url: "", peakBitRate: max(0, list.number("BANDWIDTH") ?? 0))
        variant.averageBitRate = list.number("AVERAGE-BANDWIDTH")
        if let size = list.size("RESOLUTION") { (variant.width, variant.height) = size }
        variant.frameRate = list.real("FRAME-RATE")
        variant.codecs =
            list.text("CODECS")?.split(separator: ",").map { String(Self.trimmed($0.utf8)) } ?? []
        variant.audioGroup = list.text("AUDIO")
        variant.subtitleGroup = list.text("SUBTITLES")
        self.variant = variant
    }

    private mutating func parseRendition(_ list: AttributeList) throws(MediaError) {
        guard let kind = list.text("TYPE").flatMap(MasterPlaylist.Kind.init),
            let group = list.text("GROUP-ID")
        else { return }
        guard master.renditions.count < limits.renditionCount else {
            throw limitError("renditions", limits.renditionCount)
        }
        var rendition = MasterPlaylist.Rendition(kind: kind, group: group, name: list.text("NAME") ?? "")
        rendition.url = try list.text("URI").map { uri throws(MediaError) in try resolve(uri) }
        rendition.language = list.text("LANGUAGE")
        rendition.isDefault = list.isYes("DEFAULT")
        rendition.isAutomatic = list.isYes("AUTOSELECT") || rendition.isDefault
        rendition.isForced = list.isYes("FORCED")
        rendition.channelCount = list.text("CHANNELS")?.split(separator: "/").first.flatMap { Int($0) }
        master.renditions.append(rendition)
    }

    // MARK: Segments

    private mutating func parseMediaTag(_ name: Substring, _ value: Substring) throws(MediaError) {
        switch name {
        case "#EXT-X-TARGETDURATION":
            isMedia = true
            media.targetDuration = try duration(value)
        case "#EXT-X-MEDIA-SEQUENCE":
            isMedia = true
            guard media.segments.isEmpty else {
                throw syntaxError("EXT-X-MEDIA-SEQUENCE after the first media segment")
            }
            next.sequence = try count(value)
        case "#EXT-X-DISCONTINUITY-SEQUENCE": next.discontinuity = try count(value)
        case "#EXT-X-ENDLIST":
            isMedia = true
            media.hasEnded = true
        case "#EXT-X-PLAYLIST-TYPE":
            isMedia = true
            media.kind = value == "VOD" ? .vod : value == "EVENT" ? .event : .live
        case "#EXT-X-SERVER-CONTROL":
            // An invalid value is ignored: the default is safe.
            let seconds = AttributeList(value).real("HOLD-BACK")
            media.holdBack = seconds.flatMap { seconds in
                (0..<Self.maximumSegmentDuration).contains(seconds) ? Int64(seconds * 1_000_000) : nil
            }
        case "#EXT-X-START":
            let list = AttributeList(value)
            // Without a valid offset there is no preferred start: the media are playable without it.
            start = list.real("TIME-OFFSET").map { seconds in
                PlaylistStart(offset: Int64(clamping: seconds * 1_000_000), isPrecise: list.isYes("PRECISE"))
            }
        case "#EXT-X-I-FRAMES-ONLY":
            throw syntaxError("unsupported playlist: I-frames only (EXT-X-I-FRAMES-ONLY)")
        case "#EXT-X-DEFINE": throw syntaxError("unsupported tag EXT-X-DEFINE")
        default: break
        }
    }

    private mutating func parseSegmentTag(_ name: Substring, _ value: Substring) throws(MediaError) {
        switch name {
        case "#EXTINF": next.duration = try duration(value.prefix { $0 != "," })
        case "#EXT-X-BYTERANGE": next.range = try range(value)
        case "#EXT-X-DISCONTINUITY":
            next.discontinuity &+= 1
        case "#EXT-X-GAP": next.isGap = true
        case "#EXT-X-PROGRAM-DATE-TIME":
            // An invalid date is ignored: the media are playable without it.
            next.date = DateText.nanoseconds(Self.trimmed(value.utf8)[...]) ?? next.date
        case "#EXT-X-KEY":
            if !next.continuesKeyList { next.key = nil }
            next.continuesKeyList = true
            if let key = try key(AttributeList(value)) { next.add(key) } else { next.key = nil }
        default: try parseMap(AttributeList(value))
        }
    }

    private mutating func parseMap(_ list: AttributeList) throws(MediaError) {
        guard let uri = list.text("URI") else { throw syntaxError("EXT-X-MAP without URI") }
        var resource = PlaylistResource(reference: try reference(uri))
        if let text = list.text("BYTERANGE") {
            let (count, start) = try range(text[...])
            resource.range = try byteRange(start ?? 0, count)
        }
        next.map = resource
        next.mapKey = next.key
    }

    private func key(_ list: AttributeList) throws(MediaError) -> PlaylistKey? {
        let method = list.text("METHOD") ?? ""
        if method == "NONE" { return nil }
        guard method == "AES-128", (list.text("KEYFORMAT") ?? "identity") == "identity" else {
            return .unsupported(method)
        }
        guard let uri = list.text("URI") else { throw syntaxError("EXT-X-KEY without URI") }
        let iv = list.block("IV")
        if list.text("IV") != nil, iv == nil {
            throw syntaxError("invalid IV: it must be a hexadecimal number of at most 128 bits")
        }
        return .aes128(url: try reference(uri), iv: iv)
    }

    private mutating func parseURI(_ text: Substring) throws(MediaError) {
        if var variant {
            guard master.variants.count < limits.variantCount else {
                throw limitError("variants", limits.variantCount)
            }
            variant.url = try resolve(String(text))
            master.variants.append(variant)
            self.variant = nil
            return
        }
        // M3U playlists of plain files have no durations.
        guard let length = next.duration else {
            throw syntaxError("URI without EXTINF or EXT-X-STREAM-INF: not an HLS playlist")
        }
        guard media.segments.count < limits.segmentCount else {
            throw limitError("segments", limits.segmentCount)
        }
        let reference = try reference(String(text))
        var resource = PlaylistResource(reference: reference)
        if let (count, start) = next.range {
            let end = next.end.flatMap { $0.reference.isSameText(as: reference) ? $0.offset : nil }
            guard let first = start ?? end else {
                throw syntaxError("byte range without an offset")
            }
            resource.range = try byteRange(first, count)
        }
        next.end = resource.range.map { (reference, $0.upperBound) }
        media.segments.append(
            PlaylistSegment(
                resource: resource,
                duration: length,
                sequence: next.sequence,
                discontinuity: next.discontinuity,
                map: next.map,
                mapKey: next.mapKey,
                key: next.key,
                date: next.date,
                isGap: next.isGap
            )
        )
        next.sequence &+= 1
        next.continuesKeyList = false
        (next.duration, next.range, next.date, next.isGap) = (nil, nil, nil, false)
    }

    // MARK: Values

    private func reference(_ uri: String) throws(MediaError) -> PlaylistReference {
        do throws(MediaError) {
            return try PlaylistReference(uri, base)
        } catch {
            throw MediaError(error.code, "playlist line \(line): \(error.message)")
        }
    }

    /// Resolves the URL of a variant or a rendition. These URLs are stored resolved.
    private mutating func resolve(_ uri: String) throws(MediaError) -> String {
        let url = try reference(uri).url
        urlByteCount += url.utf8.count
        guard urlByteCount <= limits.urlByteCount else {
            throw MediaError(
                .exceedsLimits,
                "URLs of the playlist too long (limit \(limits.urlByteCount >> 20) MiB together)"
            )
        }
        return url
    }

    /// Parses a duration in seconds. Returns microseconds.
    private func duration(_ text: Substring) throws(MediaError) -> Int64 {
        guard let seconds = Double(Self.trimmed(text.utf8)),
            (0..<Self.maximumSegmentDuration).contains(seconds)
        else {
            throw syntaxError("invalid duration")
        }
        return Int64(clamping: seconds * 1_000_000)
    }

    /// The maximum duration of a segment in seconds: a year.
    private static let maximumSegmentDuration: Double = 366 * 86_400

    private func count(_ text: Substring) throws(MediaError) -> Int64 {
        guard let value = Int64(Self.trimmed(text.utf8)), (0..<1 << 60).contains(value) else {
            throw syntaxError("invalid or too large number")
        }
        return value
    }

    /// Parses a byte range: "1000@0" is 1000 bytes from offset 0.
    private func range(_ text: Substring) throws(MediaError) -> (count: Int64, start: Int64?) {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count) else { throw syntaxError("invalid byte range") }
        let length = try count(parts[0])
        guard length > 0 else { throw syntaxError("empty byte range") }
        guard parts.count == 2 else { return (length, nil) }
        return (length, try count(parts[1]))
    }

    private func byteRange(_ start: Int64, _ count: Int64) throws(MediaError) -> Range<Int64> {
        let (end, overflow) = start.addingReportingOverflow(count)
        guard !overflow else { throw syntaxError("invalid byte range") }
        return start..<end
    }

    /// Returns an error that names the current line.
    private func syntaxError(_ message: String) -> MediaError {
        MediaError(.unrecognizedFormat, "playlist line \(line): \(message)")
    }

    /// Returns the error for a limit that is exceeded.
    private func limitError(_ what: String, _ limit: Int) -> MediaError {
        MediaError(.exceedsLimits, "too many \(what) in the playlist (limit \(limit))")
    }

    private static func trimmed(_ bytes: some BidirectionalCollection<UInt8>) -> String {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let start = bytes.drop(while: isBlank)
        let end = start.reversed().drop(while: isBlank).reversed()
        return String(decoding: end, as: UTF8.self)
    }
}
