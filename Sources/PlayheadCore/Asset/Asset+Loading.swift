import FoundationEssentials
public import MediaCore

// All properties are known once the container is open, so loading one property loads all of them.
extension Asset {
    /// Loads the asset if necessary, and returns the values of the given properties in their order.
    ///
    /// - Parameters:
    ///   - first: The first property to load.
    ///   - rest: Further properties.
    /// - Returns: One value for each property.
    /// - Throws: `PlaybackError` if the asset cannot be opened, or with the code `.cancelled` if the task or the
    ///   loading was cancelled.
    public func load<First, each Rest>(
        _ first: AssetProperty<First>,
        _ rest: repeat AssetProperty<each Rest>
    ) async throws(PlaybackError) -> (First, repeat each Rest) {
        try await load()
        return (first.read(self), repeat (each rest).read(self))
    }

    /// Returns the loading status of a property, with its value once it is loaded. Does not start loading.
    ///
    /// - Parameter property: The property to report on.
    /// - Returns: The status of the property.
    public func status<Value>(of property: AssetProperty<Value>) -> AssetProperty<Value>.Status {
        switch status {
        case .unknown: .notYetLoaded
        case .loading: .loading
        case .loaded: .loaded(property.read(self))
        case .failed, .cancelled:
            .failed(error ?? PlaybackError(MediaError(.cancelled, "loading was cancelled"), url: url))
        }
    }

    /// Loads the asset if necessary, and returns its tracks of one media type in the order of the container.
    ///
    /// - Parameter type: The media type of the tracks.
    /// - Returns: The matching tracks.
    /// - Throws: `PlaybackError` if the asset cannot be loaded; see `load()`.
    public func loadTracks(withMediaType type: MediaType) async throws(PlaybackError) -> [Track] {
        try await load()
        return tracks(withMediaType: type)
    }

    /// Loads the asset if necessary, and returns its tracks with one characteristic in the order of the container.
    ///
    /// - Parameter characteristic: The characteristic of the tracks.
    /// - Returns: The matching tracks.
    /// - Throws: `PlaybackError` if the asset cannot be loaded; see `load()`.
    public func loadTracks(
        withMediaCharacteristic characteristic: MediaCharacteristic
    ) async throws(PlaybackError) -> [Track] {
        try await load()
        return tracks.filter { MediaSelectionOption(track: $0).hasMediaCharacteristic(characteristic) }
    }

    /// Loads the asset if necessary, and returns the track with an identifier.
    ///
    /// - Parameter id: The value of `Track.id`.
    /// - Returns: The track, or nil if the asset has no such track.
    /// - Throws: `PlaybackError` if the asset cannot be loaded; see `load()`.
    public func loadTrack(withTrackID id: Int) async throws(PlaybackError) -> Track? {
        try await load()
        return tracks.first { $0.id == id }
    }

    /// Loads the asset if necessary, and returns the media selection group for a characteristic.
    ///
    /// - Parameter characteristic: `.audible`, `.visual` or `.legible`.
    /// - Returns: The group, or nil if the asset has no such tracks.
    /// - Throws: `PlaybackError` if the asset cannot be loaded; see `load()`.
    public func loadMediaSelectionGroup(
        for characteristic: MediaCharacteristic
    ) async throws(PlaybackError) -> MediaSelectionGroup? {
        try await load()
        return mediaSelectionGroup(for: characteristic)
    }

    /// Returns the tracks of one media type in the order of the container. The result is empty until the asset is
    /// loaded.
    ///
    /// - Parameter type: The media type of the tracks.
    /// - Returns: The matching tracks.
    public func tracks(withMediaType type: MediaType) -> [Track] { tracks.filter { $0.mediaType == type } }

    /// Whether at least one video or audio track can be played; cover pictures do not count. False until the asset is
    /// loaded. `Track.unplayableReason` says why a track cannot be played.
    public var isPlayable: Bool {
        tracks.contains { track in
            [.video, .audio].contains(track.mediaType) && !track.isAttachedPicture && track.isPlayable
        }
    }

    /// Whether the container can be read, even if none of its tracks can be played. False until the asset is loaded.
    public var isReadable: Bool { status == .loaded }

    /// Whether at least one track is encrypted and cannot be played. False until the asset is loaded. A file that is
    /// encrypted as a whole fails to load with the code `.encrypted`.
    public var hasProtectedContent: Bool { tracks.contains(where: \.hasProtectedContent) }

    /// Whether `duration` is declared by the container and not an estimate. False until the asset is loaded.
    /// `AssetOptions.preciseTiming` requests the most precise values available.
    public var providesPreciseDurationAndTiming: Bool {
        guard let media else { return false }
        return !media.durationIsEstimate && media.duration.isNumeric
    }

    /// The characteristics for which the asset has a media selection group. Empty until the asset is loaded.
    public var availableMediaCharacteristicsWithMediaSelectionOptions: [MediaCharacteristic] {
        [.audible, .visual, .legible].filter { mediaSelectionGroup(for: $0) != nil }
    }
}

extension Asset {
    /// Whether the bytes of the asset are read over a network, as far as that is known.
    package var isRemote: Bool {
        if let media { return !media.isLocal }
        return options.byteSource.map { !$0.isLocal } ?? !url.isFileURL
    }
}
