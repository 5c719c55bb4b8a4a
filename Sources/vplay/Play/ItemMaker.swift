import Playhead

/// Sets items up as the options want them.
struct ItemMaker: Sendable {
    let options: PlayOptions
    /// One for each input.
    let assets: [Asset]

    init(_ options: PlayOptions) {
        self.options = options
        assets = options.inputs.map {
            $0.asset(preciseTiming: options.wantsPreciseTiming, network: options.network)
        }
    }

    /// Opens what must be known before an item can be made. An asset that cannot be opened fails again, and
    /// with the same words, when its item is played.
    func load() async {
        guard options.needsLoading else { return }
        for asset in assets {
            do {
                try await asset.load()
            } catch {
                continue
            }
        }
    }

    /// `remaining`: what `--duration` leaves; nil: no end to it.
    func make(_ index: Int, remaining: MediaTime?) -> Result<InputPlayback, TrackNotFound> {
        let asset = assets[index]
        let item = PlayerItem(asset: asset)
        if !options.keepsPitch { item.audioTimePitchAlgorithm = .varispeed }
        if !options.decodesVideo { item.disableTracks(ofType: .video) }
        var video = options.decodesVideo ? Self.firstPlayable(.video, in: asset.tracks)?.id : nil
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
            // A playlist's variant is the player's choice: the best one, and not the first.
            if let video, options.videoTrack != nil { item.selectTrack(video, ofType: .video) }
        }
        let zero = Self.firstPicture(of: asset.tracks.first { $0.id == video })
        if options.rate < 0 { return .success(backward(item, index, zero)) }
        let start = options.start.map { zero + $0 }
        if let start { item.seek(to: start, toleranceBefore: .zero, toleranceAfter: .zero) }
        // The end is the first moment not played; a frame due exactly at --end is.
        let end = options.end.map { zero + $0 + Self.moment }
        let turn = InputPlayback(item: item, index: index, start: start ?? .zero, end: end)
        turn.limit(to: remaining)
        return .success(turn)
    }

    /// From --end, or the last frame, to --start, or the first one.
    private func backward(_ item: PlayerItem, _ index: Int, _ zero: MediaTime) -> InputPlayback {
        let begin = options.end.map { zero + $0 } ?? Self.farEnd
        item.seek(to: begin, toleranceBefore: .zero, toleranceAfter: .zero)
        if let start = options.start { item.reversePlaybackEndTime = zero + start }
        return InputPlayback(item: item, index: index, start: begin, end: nil)
    }

    /// A thousand hours: held at the duration.
    private static let farEnd = MediaTime(value: 3_600_000, timescale: 1)
    /// The smallest step of the engine's timeline.
    static let moment = MediaTime(nanoseconds: 1)

    /// What the player chooses when nobody else does.
    private static func firstPlayable(_ type: MediaType, in tracks: [Track]) -> Track? {
        tracks.first { $0.mediaType == type && $0.isPlayable && !$0.isAttachedPicture }
    }

    private static func firstPicture(of track: Track?) -> MediaTime {
        guard let start = track?.timeRange.start, start.isNumeric else { return .zero }
        return start
    }
}
