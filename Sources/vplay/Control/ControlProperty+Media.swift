import PlayheadCore

/// The properties of the media that plays.
extension ControlProperty {
    /// The track of a type that plays.
    private static func played(_ type: MediaType, of item: PlayerItem) -> Track? {
        item.tracks.first { $0.isEnabled && $0.assetTrack.mediaType == type }?.assetTrack
    }

    private static func track(
        _ type: MediaType,
        _ value: @escaping @Sendable (Track) -> JSONValue
    ) -> ControlProperty {
        ofItem { item throws(ControlError) in
            guard let track = played(type, of: item) else { throw .propertyUnavailable }
            return value(track)
        }
    }

    /// The track of a type that is selected. Playback follows within a second.
    private static func selected(_ type: MediaType, of item: PlayerItem) -> Track? {
        // The subtitles of a file are selected instead.
        if type == .subtitle, item.legibleAsset != nil { return nil }
        let played = played(type, of: item)
        let characteristic: MediaCharacteristic =
            switch type {
            case .video: .visual
            case .audio: .audible
            default: .legible
            }
        guard let group = item.asset.mediaSelectionGroup(for: characteristic),
            !item.mediaSelectionCriteriaCanBeAppliedAutomatically(in: group)
        else { return played }
        let requested = item.selectedMediaOption(in: group)?.track
        // A cover picture is in no group.
        return requested ?? (played?.isAttachedPicture == true ? played : nil)
    }

    /// A selected track: its number from 1 among those of its type, or false.
    private static func selection(_ type: MediaType) -> ControlProperty {
        ControlProperty { session in
            guard let playback = session.loadedPlayback else {
                return session.control?.trackRequests[type]?.value ?? .string("auto")
            }
            if type == .subtitle, let file = playback.shownFile {
                return .integer(playback.number(of: file))
            }
            guard let selected = selected(type, of: playback.item),
                let index = playback.tracks(type).firstIndex(where: { $0.id == selected.id })
            else { return .bool(false) }
            return .integer(index + 1)
        }
        .with {
            $0.trackType = type
            $0.set = { session, value throws(ControlError) in
                try session.select(TrackRequest(value), type)
            }
        }
    }

    private static func describe(_ track: Track, number: Int, isSelected: Bool) -> JSONValue {
        let type: String =
            switch track.mediaType {
            case .subtitle: "sub"
            default: track.mediaType.rawValue
            }
        var members: [(String, JSONValue)] = [
            ("id", .integer(number)), ("type", .string(type)), ("src-id", .integer(track.id)),
            ("albumart", .bool(track.isAttachedPicture)), ("default", .bool(track.isDefault)),
            ("forced", .bool(track.isForced)), ("external", .bool(false)), ("selected", .bool(isSelected)),
            ("codec", .string(track.codec)),
        ]
        if let title = track.title { members.append(("title", .string(title))) }
        if let language = track.language { members.append(("lang", .string(language))) }
        if track.mediaType == .video {
            members += [
                ("demux-w", .integer(track.naturalSize.width)),
                ("demux-h", .integer(track.naturalSize.height)),
            ]
            if let rate = track.nominalFrameRate { members.append(("demux-fps", .real(rate.doubleValue))) }
        }
        if track.mediaType == .audio {
            members += [
                ("demux-channel-count", .integer(track.channelCount)),
                ("demux-samplerate", .integer(track.sampleRate)),
            ]
        }
        return .object(members)
    }

    private static func describe(_ file: SubtitleFiles.File, of playback: InputPlayback) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("id", .integer(playback.number(of: file))), ("type", .string("sub")),
            ("title", .string(file.title ?? file.input.shortName)), ("albumart", .bool(false)),
            ("default", .bool(false)), ("forced", .bool(false)), ("external", .bool(true)),
            ("external-filename", .string(file.input.argument)),
            ("selected", .bool(file.number == playback.shownFile?.number)),
        ]
        if let language = file.language { members.append(("lang", .string(language))) }
        return .object(members)
    }

    static let media: [String: ControlProperty] = [
        "duration": ofItem { item throws(ControlError) in
            guard item.duration.isNumeric else { throw .propertyUnavailable }
            return .real(item.duration.seconds)
        },
        "seekable": ofItem { item in .bool(item.asset.media?.isSeekable ?? false) },
        "partially-seekable": ofItem { _ in .bool(false) },
        "metadata": ofItem { item in .dictionary(item.asset.media?.metadata ?? [:]) },
        "file-format": ofItem { item in .string(item.asset.media?.formatName ?? "") },
        "file-size": ofItem { item throws(ControlError) in
            guard let count = item.asset.media?.byteCount else { throw .propertyUnavailable }
            return .integer(count)
        },
        "track-list": ControlProperty { session in
            guard let playback = session.loadedPlayback else { return .array([]) }
            let item = playback.item
            let types: [MediaType] = [.video, .audio, .subtitle]
            let ids = Set(types.compactMap { selected($0, of: item)?.id })
            var counts: [MediaType: Int] = [:]
            let tracks = item.asset.tracks.map { track -> JSONValue in
                counts[track.mediaType, default: 0] += 1
                let number = counts[track.mediaType] ?? 0
                return describe(track, number: number, isSelected: ids.contains(track.id))
            }
            return .array(tracks + playback.subtitles.all.map { describe($0, of: playback) })
        },
        "vid": selection(.video), "aid": selection(.audio), "sid": selection(.subtitle),
        "video": selection(.video), "audio": selection(.audio), "sub": selection(.subtitle),
        "chapters": ofItem { item in .integer(item.asset.chapters.count) },
        "chapter-list": ofItem { item in
            .array(
                item.asset.chapters.map {
                    .object([("title", .string($0.title ?? "")), ("time", .real($0.timeRange.start.seconds))])
                }
            )
        },
        "demuxer-cache-state": ofItem { item in
            let ranges = item.loadedTimeRanges
            let end: [(String, JSONValue)] = ranges.last.map { [("cache-end", .real($0.end.seconds))] } ?? []
            return .object(
                end + [
                    ("reader-pts", .real(item.currentTime().seconds)),
                    ("underrun", .bool(item.isPlaybackBufferEmpty)),
                    ("idle", .bool(item.isPlaybackBufferFull)),
                    (
                        "seekable-ranges",
                        .array(
                            ranges.map {
                                .object([("start", .real($0.start.seconds)), ("end", .real($0.end.seconds))])
                            }
                        )
                    ),
                ]
            )
        },
        "demuxer-cache-time": ofItem { item throws(ControlError) in
            guard let end = item.loadedTimeRanges.last?.end else { throw .propertyUnavailable }
            return .real(end.seconds)
        },
        "demuxer-cache-duration": ofItem { item throws(ControlError) in
            guard let end = item.loadedTimeRanges.last?.end else { throw .propertyUnavailable }
            return .real(max(0, (end - item.currentTime()).seconds))
        }
        .with { $0.isTimed = true },
        "audio-codec-name": track(.audio) { .string($0.codec) },
        "audio-codec": track(.audio) { .string($0.codec) },
        "audio-params": track(.audio) { track in
            .object([
                ("samplerate", .integer(track.sampleRate)), ("channel-count", .integer(track.channelCount)),
            ])
        },
        "video-codec": track(.video) { .string($0.codec) },
        "video-format": track(.video) { .string($0.codec) },
        "video-params": track(.video) { track in
            .object([
                ("w", .integer(track.naturalSize.width)), ("h", .integer(track.naturalSize.height)),
                ("dw", .integer(track.presentationSize.width)),
                ("dh", .integer(track.presentationSize.height)),
                ("rotate", .integer(track.preferredRotation.rawValue)),
            ])
        },
        "width": track(.video) { .integer($0.naturalSize.width) },
        "height": track(.video) { .integer($0.naturalSize.height) },
        "dwidth": track(.video) { .integer($0.presentationSize.width) },
        "dheight": track(.video) { .integer($0.presentationSize.height) },
        "container-fps": ofItem { item throws(ControlError) in
            guard let rate = played(.video, of: item)?.nominalFrameRate else { throw .propertyUnavailable }
            return .real(rate.doubleValue)
        },
    ]
}
