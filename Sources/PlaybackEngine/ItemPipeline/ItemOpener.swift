import MediaCore
import PlayheadBackend

/// Opens an item: the container, the tracks to play and their decoders. Runs on the loading lane.
struct ItemOpener: Sendable {
    let id: ItemID
    let item: MediaItem
    let demuxer: any Demuxer
    let start: EpochStart
    let isRealTime: Bool
    let demand: DeinterlacingDemand
    let loading: any Lane
    let decoding: any Lane
    let ahead: DecodeAhead
    /// Reports that a track cannot be played, although the item can.
    let reportFault: @Sendable (MediaError) -> Void
    let report: @Sendable (StageReport) -> Void

    /// Opens the item.
    ///
    /// - Returns: The pipeline or an error, or `.pending` if the function has to be called again.
    func open() -> Poll<Result<ItemPipeline, MediaError>> {
        let result = attempt()
        if case .ready(let ended) = result { item.didOpen(ended.map(\.description)) }
        return result
    }

    private func attempt() -> Poll<Result<ItemPipeline, MediaError>> {
        do throws(MediaError) {
            demuxer.begin(start.epoch)
            guard case .ready(let description) = try demuxer.open() else { return .pending }
            let variant = item.variant(of: description)
            let loopSetting = LoopSetting()
            let share = item.frameCache.makeShare()
            let tracks = item.tracks(of: description, in: variant)
            let factory = DecoderFactory(
                demuxer: demuxer,
                options: item.decoding,
                duration: description.duration,
                share: share,
                loopSetting: loopSetting,
                reportFault: reportFault
            )
            guard case .ready(var decoders) = try makeDecoders(tracks, factory) else { return .pending }
            let keepsTimeOnly = decoders.isEmpty
            if keepsTimeOnly {
                guard case .ready(let timekeeper) = try makeTimekeeper(tracks, factory) else {
                    return .pending
                }
                decoders = [timekeeper]
            }
            demuxer.setEnabledTracks(Set(decoders.map(\.track.id)))
            let pipeline = ItemPipeline(
                demuxer: demuxer,
                description: description,
                variant: variant,
                decoders: decoders,
                demand: demand,
                share: share,
                ahead: ahead,
                keepsTimeOnly: keepsTimeOnly,
                loopSetting: loopSetting,
                start: start.opened(item, description),
                rules: description.isLocal ? item.localRules : item.networkRules,
                audioSettings: item.audioSettings,
                isRealTime: isRealTime,
                loadingLane: loading,
                decodingLane: decoding,
                report: report
            )
            return .ready(.success(pipeline))
        } catch {
            return .ready(.failure(error))
        }
    }

    private func makeDecoders(
        _ tracks: [Track],
        _ factory: DecoderFactory
    ) throws(MediaError) -> Poll<[(track: Track, decoder: any EpochDecoder)]> {
        var decoders: [(track: Track, decoder: any EpochDecoder)] = []
        var lastFailure: MediaError?
        // Each fault is reported once, even if the call is repeated.
        var faults: [MediaError] = []
        for (type, choice) in [(MediaType.video, item.video), (.audio, item.audio)] {
            guard let track = choice.pick(type, from: tracks) else {
                if choice != .none, let missing = unplayableTrackError(type, choice, tracks) {
                    lastFailure = missing
                    if choice == .automatic { faults.append(missing) }
                }
                continue
            }
            do throws(MediaError) {
                guard case .ready(let decoder) = try factory.makeDecoder(for: track) else { return .pending }
                decoders.append((track, decoder))
            } catch {
                if error.code == .cancelled { throw error }
                lastFailure = error
                faults.append(error)
            }
        }
        for fault in faults { reportFault(fault) }
        if decoders.isEmpty, let lastFailure { throw noPlayableTracksError(tracks, lastFailure) }
        return .ready(decoders)
    }

    /// Returns a track that only keeps time, for an item whose playable tracks are all disabled. The track is neither
    /// seen nor heard.
    private func makeTimekeeper(
        _ tracks: [Track],
        _ factory: DecoderFactory
    ) throws(MediaError) -> Poll<(track: Track, decoder: any EpochDecoder)> {
        let candidates = tracks.filter { !$0.isAttachedPicture }
        let choice = TrackChoice.automatic
        guard let track = choice.pick(.audio, from: candidates) ?? choice.pick(.video, from: candidates)
        else {
            throw noPlayableTracksError(tracks, nil)
        }
        return try factory.makeTimekeeper(for: track)
    }

    /// Returns the error of a track that exists but cannot be played.
    private func unplayableTrackError(_ type: MediaType, _ choice: TrackChoice, _ tracks: [Track])
        -> MediaError?
    {
        if case .track(let id) = choice, !tracks.contains(where: { $0.id == id && $0.mediaType == type }) {
            return MediaError(.invalidArgument, "no \(type.rawValue) track with ID \(id)")
        }
        guard let track = tracks.first(where: { $0.mediaType == type && !$0.isPlayable }) else { return nil }
        let reason = track.unplayableReason ?? "not playable"
        let code: MediaError.Code = track.hasProtectedContent ? .encrypted : .decoderNotFound
        return MediaError(code, "track \(track.id) (\(track.codec)): \(reason)", track: track.id)
    }

    private func noPlayableTracksError(_ tracks: [Track], _ failure: MediaError?) -> MediaError {
        if let failure,
            tracks.allSatisfy({ $0.mediaType != .audio && $0.mediaType != .video || !$0.isPlayable })
        {
            return failure
        }
        if tracks.contains(where: {
            ($0.mediaType == .video || $0.mediaType == .audio) && !$0.isAttachedPicture
        }) {
            return failure ?? MediaError(.noPlayableTracks, "no playable track")
        }
        return MediaError(.noPlayableTracks, "no video or audio track")
    }
}
