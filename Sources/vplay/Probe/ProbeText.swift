import Playhead

/// What `probe` tells a person.
enum ProbeText {
    static func lines(_ media: MediaDescription, name: String) -> [String] {
        var lines = [oneLine(name)]
        lines.append("container: \(media.formatName)")
        let about = media.durationIsEstimate ? " (estimated)" : ""
        lines.append(
            "duration: " + (media.duration.isNumeric ? seconds(media.duration) + about : "not known")
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
        var words = ["track \(track.id): \(track.mediaType.rawValue)", codec(track)]
        if track.mediaType == .video { words += video(track) }
        if track.mediaType == .audio { words += audio(track) }
        if let bitRate = track.bitRate { words.append("\(bitRate / 1000) kbit/s") }
        if track.timeRange.start != .zero, track.timeRange.start.isNumeric {
            words.append("from \(seconds(track.timeRange.start))")
        }
        if let language = track.language { words.append("language \(language)") }
        if let title = track.title { words.append("\"\(title)\"") }
        if track.isDefault { words.append("default") }
        if track.isForced { words.append("forced") }
        if track.isAttachedPicture { words.append("attached picture") }
        words.append(track.unplayableReason.map { "cannot be played: \($0)" } ?? "playable")
        return words.joined(separator: ", ")
    }

    private static func codec(_ track: Track) -> String {
        track.codec + (track.profile.map { " (\($0))" } ?? "")
    }

    private static func video(_ track: Track) -> [String] {
        var words = ["\(track.naturalSize)"]
        if track.pixelAspectRatio.isPositive, track.pixelAspectRatio.doubleValue != 1 {
            words.append("pixel aspect \(track.pixelAspectRatio)")
        }
        let shown = track.presentationSize
        if shown != track.naturalSize { words.append("shown \(shown)") }
        if track.preferredRotation != .none { words.append("turned \(track.preferredRotation.rawValue)°") }
        if track.isMirrored { words.append("mirrored") }
        if let rate = track.nominalFrameRate, rate.isPositive {
            words.append(rate.denominator == 1 ? "\(rate.numerator) fps" : "\(rate) fps")
        }
        if !track.sampleLayout.isEmpty { words.append(track.sampleLayout) }
        let color = [track.color.primaries, track.color.transfer, track.color.matrix].compactMap(\.self)
        if !color.isEmpty { words.append(color.joined(separator: "/")) }
        if let luminance = track.masteringDisplay?.luminance {
            words.append("graded on \(candela(luminance.minimum)) to \(candela(luminance.maximum)) cd/m²")
        }
        if let level = track.contentLightLevel {
            words.append("MaxCLL \(level.maximum), MaxFALL \(level.maximumFrameAverage)")
        }
        return words
    }

    /// "0.005", "1000".
    private static func candela(_ value: Rational) -> String {
        let number = value.doubleValue
        return number == number.rounded() ? "\(value.numerator / max(1, value.denominator))" : "\(number)"
    }

    private static func audio(_ track: Track) -> [String] {
        let layout = track.channelLayout.name.isEmpty ? "" : " (\(track.channelLayout.name))"
        let channels = track.channelCount == 1 ? "1 channel" : "\(track.channelCount) channels"
        return ["\(track.sampleRate) Hz", channels + layout]
    }

    private static func seconds(_ time: MediaTime) -> String {
        decimalSeconds(time).map { "\($0) s" } ?? "not known"
    }
}
