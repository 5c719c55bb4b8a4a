import PlayheadCore

/// The text output of `probe`.
enum ProbeText {
    static func lines(_ media: MediaDescription, name: String) -> [String] {
        var lines = [oneLine(name)]
        lines.append("container: \(media.formatName)")
        let suffix = media.durationIsEstimate ? " (estimated)" : ""
        lines.append(
            "duration: " + (media.duration.isNumeric ? seconds(media.duration) + suffix : "unknown")
        )
        if media.startTime != .zero { lines.append("start: \(seconds(media.startTime)) in the container") }
        if let bytes = media.byteCount { lines.append("size: \(bytes) bytes") }
        if let bitRate = media.bitRate { lines.append("bit rate: \(bitRate / 1000) kbit/s") }
        if !media.isSeekable { lines.append("not seekable") }
        for track in media.tracks { lines.append(oneLine(line(track))) }
        for (key, value) in media.metadata.sorted(by: { $0.key < $1.key }) {
            lines.append(oneLine("metadata \(key): \(value)"))
        }
        for (number, chapter) in media.chapters.enumerated() {
            let range = "\(seconds(chapter.timeRange.start)) to \(seconds(chapter.timeRange.end))"
            lines.append(oneLine("chapter \(number + 1): \(range)" + (chapter.title.map { " \($0)" } ?? "")))
        }
        return lines
    }

    private static func line(_ track: Track) -> String {
        var parts = ["track \(track.id): \(track.mediaType.rawValue)", codec(track)]
        if track.mediaType == .video { parts += video(track) }
        if track.mediaType == .audio { parts += audio(track) }
        if let bitRate = track.bitRate { parts.append("\(bitRate / 1000) kbit/s") }
        if track.timeRange.start != .zero, track.timeRange.start.isNumeric {
            parts.append("from \(seconds(track.timeRange.start))")
        }
        if let language = track.language { parts.append("language \(language)") }
        if let title = track.title { parts.append("\"\(title)\"") }
        if track.isDefault { parts.append("default") }
        if track.isForced { parts.append("forced") }
        if track.isAttachedPicture { parts.append("attached picture") }
        parts.append(track.unplayableReason.map { "cannot be played: \($0)" } ?? "playable")
        return parts.joined(separator: ", ")
    }

    private static func codec(_ track: Track) -> String {
        track.codec + (track.profile.map { " (\($0))" } ?? "")
    }

    private static func video(_ track: Track) -> [String] {
        var parts: [String] = track.naturalSize == .zero ? [] : ["\(track.naturalSize)"]
        if track.pixelAspectRatio.isPositive, track.pixelAspectRatio.doubleValue != 1 {
            parts.append("pixel aspect \(track.pixelAspectRatio)")
        }
        let shown = track.presentationSize
        if shown != track.naturalSize { parts.append("shown \(shown)") }
        if track.preferredRotation != .none { parts.append("rotated \(track.preferredRotation.rawValue)°") }
        if track.isMirrored { parts.append("mirrored") }
        if let rate = track.nominalFrameRate, rate.isPositive {
            parts.append(rate.denominator == 1 ? "\(rate.numerator) fps" : "\(rate) fps")
        }
        if !track.sampleLayout.isEmpty { parts.append(track.sampleLayout) }
        let color = [track.color.primaries, track.color.transfer, track.color.matrix].compactMap(\.self)
        if !color.isEmpty { parts.append(color.joined(separator: "/")) }
        if let luminance = track.masteringDisplay?.luminance {
            parts.append("graded on \(candela(luminance.minimum)) to \(candela(luminance.maximum)) cd/m²")
        }
        if let level = track.contentLightLevel {
            parts.append("MaxCLL \(level.maximum), MaxFALL \(level.maximumFrameAverage)")
        }
        return parts
    }

    /// Returns a luminance such as "0.005" or "1000".
    private static func candela(_ value: Rational) -> String {
        let number = value.doubleValue
        return number == number.rounded() ? "\(value.numerator / max(1, value.denominator))" : "\(number)"
    }

    private static func audio(_ track: Track) -> [String] {
        var parts: [String] = track.sampleRate > 0 ? ["\(track.sampleRate) Hz"] : []
        guard track.channelCount > 0 else { return parts }
        let layout = track.channelLayout.assignment.map { " (\($0))" } ?? ""
        let channels = track.channelCount == 1 ? "1 channel" : "\(track.channelCount) channels"
        parts.append(channels + layout)
        return parts
    }

    private static func seconds(_ time: MediaTime) -> String {
        decimalSeconds(time).map { "\($0) s" } ?? "unknown"
    }
}
