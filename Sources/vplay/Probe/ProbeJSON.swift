import PlayheadCore

/// The JSON object of `probe --json`. Its members are documented in the command's help and are stable.
enum ProbeJSON {
    static func object(_ media: MediaDescription, path: String) -> JSONValue {
        .object([
            ("path", .string(path)),
            ("format", .string(media.formatName)),
            ("start", .time(media.startTime)),
            ("duration", .time(media.duration)),
            ("durationIsEstimate", .bool(media.durationIsEstimate)),
            ("byteCount", integer(media.byteCount)),
            ("bitRate", integer(media.bitRate)),
            ("isSeekable", .bool(media.isSeekable)),
            ("tracks", .array(media.tracks.map(track))),
            ("metadata", .dictionary(media.metadata)),
            ("chapters", .array(media.chapters.map(chapter))),
        ])
    }

    private static func track(_ track: Track) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("id", .integer(track.id)),
            ("type", .string(track.mediaType.rawValue)),
            ("codec", .string(track.codec)),
            ("profile", .optional(track.profile)),
            ("language", .optional(track.language)),
            ("title", .optional(track.title)),
            ("start", .time(track.timeRange.start)),
            ("duration", .time(track.timeRange.duration)),
            ("timeBase", fraction(track.timeBase)),
            ("bitRate", integer(track.bitRate)),
            ("isDefault", .bool(track.isDefault)),
            ("isForced", .bool(track.isForced)),
            ("isPlayable", .bool(track.isPlayable)),
            ("unplayableReason", .optional(track.unplayableReason)),
        ]
        if track.mediaType == .video { members += video(track) }
        if track.mediaType == .audio { members += audio(track) }
        members.append(("metadata", .dictionary(track.metadata)))
        return .object(members)
    }

    private static func video(_ track: Track) -> [(String, JSONValue)] {
        let shown = track.presentationSize
        return [
            ("width", positive(track.naturalSize.width)),
            ("height", positive(track.naturalSize.height)),
            ("displayWidth", positive(shown.width)),
            ("displayHeight", positive(shown.height)),
            ("pixelAspectRatio", fraction(track.pixelAspectRatio)),
            ("frameRate", track.nominalFrameRate.map(fraction) ?? .null),
            ("frameCount", integer(track.frameCount.map(Int64.init))),
            ("pixelFormat", name(track.sampleLayout)),
            ("rotation", .integer(track.preferredRotation.rawValue)),
            ("isMirrored", .bool(track.isMirrored)),
            ("color", color(track.color)),
            ("masteringDisplay", track.masteringDisplay.map(mastering) ?? .null),
            ("contentLightLevel", track.contentLightLevel.map(light) ?? .null),
            ("isAttachedPicture", .bool(track.isAttachedPicture)),
        ]
    }

    private static func audio(_ track: Track) -> [(String, JSONValue)] {
        [
            ("sampleRate", positive(track.sampleRate)),
            ("channels", positive(track.channelCount)),
            ("channelLayout", .optional(track.channelLayout.assignment)),
            ("sampleFormat", name(track.sampleLayout)),
        ]
    }

    private static func color(_ color: ColorDescription) -> JSONValue {
        .object([
            ("primaries", .optional(color.primaries)),
            ("transfer", .optional(color.transfer)),
            ("matrix", .optional(color.matrix)),
            ("isFullRange", color.isFullRange.map { .bool($0) } ?? .null),
            ("chromaLocation", .optional(color.chromaLocation)),
        ])
    }

    /// Returns the mastering display with exact fractions. Luminance is in candela per square metre.
    private static func mastering(_ display: MasteringDisplay) -> JSONValue {
        let (primaries, luminance) = (display.primaries, display.luminance)
        let members: [(String, JSONValue)] = [
            ("red", chromaticity(primaries?.red)),
            ("green", chromaticity(primaries?.green)),
            ("blue", chromaticity(primaries?.blue)),
            ("whitePoint", chromaticity(primaries?.whitePoint)),
            ("minimumLuminance", .optional(luminance?.minimum.description)),
            ("maximumLuminance", .optional(luminance?.maximum.description)),
        ]
        return .object(members)
    }

    private static func chromaticity(_ color: MasteringDisplay.Chromaticity?) -> JSONValue {
        guard let color else { return .null }
        return .array([.string(color.x.description), .string(color.y.description)])
    }

    private static func light(_ level: ContentLightLevel) -> JSONValue {
        .object([
            ("maximum", .integer(level.maximum)),
            ("maximumFrameAverage", .integer(level.maximumFrameAverage)),
        ])
    }

    private static func chapter(_ chapter: Chapter) -> JSONValue {
        .object([
            ("title", .optional(chapter.title)),
            ("start", .time(chapter.timeRange.start)),
            ("end", .time(chapter.timeRange.end)),
        ])
    }

    private static func integer(_ value: Int64?) -> JSONValue { value.map { .integer($0) } ?? .null }
    /// Returns a quantity, or null if it is 0, which means unknown.
    private static func positive(_ value: Int) -> JSONValue { value > 0 ? .integer(value) : .null }
    private static func name(_ text: String) -> JSONValue { text.isEmpty ? .null : .string(text) }

    /// Returns a fraction such as "30000/1001", or null if it is unknown.
    private static func fraction(_ value: Rational) -> JSONValue {
        value.isPositive ? .string(value.description) : .null
    }
}
