import PlayheadCore

/// Creates items configured by the options.
struct ItemMaker: Sendable {
    let options: PlayOptions

    init(_ options: PlayOptions) { self.options = options }

    func asset(of input: Input) -> Asset {
        let backend =
            input.isImage ? StillImageBackend(duration: input.imageDuration ?? options.imageDuration) : nil
        return input.asset(
            preciseTiming: options.wantsPreciseTiming,
            network: options.network,
            backend: backend
        )
    }

    func asset(ofSubtitles file: Input) -> Asset {
        file.asset(network: options.network, subtitleEncoding: options.subtitleEncoding)
    }

    /// Whether the tracks of an entry must be known before an item can be configured.
    func needsLoading(start: StartPosition?) -> Bool {
        options.needsLoading || (start.map { $0.time == nil } ?? false)
    }

    /// Loads assets if an option needs their tracks. An asset that cannot be opened fails again with the same message
    /// when its item is played.
    func load(_ assets: [Asset]) async {
        for asset in assets {
            do {
                try await asset.load()
            } catch {
                continue
            }
        }
    }

    /// Creates the playback of an entry. It begins at the saved position, the start of the entry, `--start` or the first
    /// frame; in reverse at the saved position, the end of the entry, `--end` or the last frame.
    ///
    /// - Parameters:
    ///   - entry: The entry of the playlist.
    ///   - remaining: The remainder of `--duration`, or nil if there is no limit.
    ///   - resume: The item time at which an earlier session ended, or nil. It has no effect outside of the range of
    ///     the entry.
    ///   - isInterruption: Whether the entry interrupts another one, and plays forward at any `--rate`.
    func make(
        _ entry: PlaylistEntry,
        remaining: MediaTime?,
        resume: MediaTime? = nil,
        isInterruption: Bool = false
    ) -> Result<InputPlayback, TrackNotFound> {
        let asset = entry.asset
        let item = PlayerItem(asset: asset)
        if !options.keepsPitch { item.audioTimePitchAlgorithm = .varispeed }
        if !options.decodesVideo { item.disableTracks(ofType: .video) }
        var video = options.decodesVideo ? asset.tracks.defaultTrack(.video)?.id : nil
        if asset.status == .loaded {
            do throws(TrackNotFound) {
                if let choice = options.videoTrack, options.decodesVideo {
                    video = try choice.pick(.video, from: asset.tracks).get()
                }
                if let choice = options.subtitleTrack {
                    item.selectTrack(try choice.pick(.subtitle, from: asset.tracks).get(), ofType: .subtitle)
                }
                if let choice = options.audioTrack, options.audio != .none {
                    item.selectTrack(try choice.pick(.audio, from: asset.tracks).get(), ofType: .audio)
                }
            } catch {
                return .failure(error)
            }
            // Without an explicit choice the player selects the variant of an HLS presentation.
            if let video, options.videoTrack != nil { item.selectTrack(video, ofType: .video) }
        }
        let zero = Self.firstFrameTime(of: asset.tracks.first { $0.id == video })
        let position = entry.options.start ?? options.start
        let first = position.flatMap {
            $0.time(after: zero, duration: asset.duration, chapters: asset.chapters)
        }
        let last = (entry.options.end ?? options.end).map { zero + $0 }
        // A position outside of the range is from a session with another range, or from a seek.
        var saved = resume
        if let resume, let first, resume < first - InputPlayback.roundingTolerance { saved = nil }
        if let resume, let last, resume > last + InputPlayback.roundingTolerance { saved = nil }
        let isReverse = options.rate < 0 && !isInterruption
        let start = saved ?? (isReverse ? last ?? Self.farEnd : first)
        if let start { item.seek(to: start, toleranceBefore: .zero, toleranceAfter: .zero) }
        if isReverse, let first { item.reversePlaybackEndTime = first }
        // The end is exclusive, but a frame due exactly at --end is played.
        let end = isReverse ? nil : last.map { $0 + Self.smallestStep }
        var playback = InputPlayback(item: item, entry: entry, start: start, end: end)
        playback.isResumed = saved != nil
        if let file = options.subtitleFile {
            playback.show(playback.subtitles.add(file, self.asset(ofSubtitles: file)))
        }
        if let position, first == nil, asset.status == .loaded {
            playback.missingStart = position.absence(chapterCount: asset.chapters.count)
        }
        playback.limit(to: remaining)
        return .success(playback)
    }

    /// A time of 1,000 hours, which the player limits to the duration.
    private static let farEnd = MediaTime(value: 3_600_000, timescale: 1)
    /// The resolution of the engine's timeline.
    static let smallestStep = MediaTime(nanoseconds: 1)

    /// Returns the item time of the first frame of a video track, or zero if it is not known or there is no track.
    static func firstFrameTime(of track: Track?) -> MediaTime {
        guard let start = track?.timeRange.start, start.isNumeric else { return .zero }
        return start
    }
}
