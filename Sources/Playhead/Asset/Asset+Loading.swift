import Foundation
public import MediaCore

// What is asked of an asset by name. All of it is known when the container is open, so asking for one thing loads all;
// errors and cancelling are those of `load()`.
extension Asset {
    /// Loads the asset, if that has not been done, and returns what it then says: one value for each property, in their
    /// order.
    public func load<First, each Rest>(
        _ first: AssetProperty<First>,
        _ rest: repeat AssetProperty<each Rest>
    ) async throws(PlaybackError) -> (First, repeat each Rest) {
        try await load()
        return (first.read(self), repeat (each rest).read(self))
    }

    /// How far loading has come, and the value where it is done; starts nothing.
    public func status<Value>(of property: AssetProperty<Value>) -> AssetProperty<Value>.Status {
        switch status {
        case .unknown: .notYetLoaded
        case .loading: .loading
        case .loaded: .loaded(property.read(self))
        case .failed, .cancelled:
            .failed(error ?? PlaybackError(MediaError(.cancelled, "loading was cancelled"), url: url))
        }
    }

    /// The tracks of one kind, in the container's order; loads the asset first.
    public func loadTracks(withMediaType type: MediaType) async throws(PlaybackError) -> [Track] {
        try await load()
        return tracks(withMediaType: type)
    }

    /// The tracks that are for something, in the container's order; loads the asset first.
    public func loadTracks(
        withMediaCharacteristic characteristic: MediaCharacteristic
    ) async throws(PlaybackError) -> [Track] {
        try await load()
        return tracks.filter { MediaSelectionOption(track: $0).hasMediaCharacteristic(characteristic) }
    }

    /// The track with this `Track.id`, nil where there is none; loads the asset first.
    public func loadTrack(withTrackID id: Int) async throws(PlaybackError) -> Track? {
        try await load()
        return tracks.first { $0.id == id }
    }

    /// The options of one kind, nil where there are none; loads the asset first.
    public func loadMediaSelectionGroup(
        for characteristic: MediaCharacteristic
    ) async throws(PlaybackError) -> MediaSelectionGroup? {
        try await load()
        return mediaSelectionGroup(for: characteristic)
    }

    /// The tracks of one kind, in the container's order; empty until loaded.
    public func tracks(withMediaType type: MediaType) -> [Track] { tracks.filter { $0.mediaType == type } }

    /// At least one of its tracks of video or audio can be played; cover pictures are none. False until loaded. What is
    /// wrong with a track says `Track.unplayableReason`.
    public var isPlayable: Bool {
        tracks.contains { track in
            [.video, .audio].contains(track.mediaType) && !track.isAttachedPicture && track.isPlayable
        }
    }

    /// Its container can be read, whatever can be played of it. False until loaded.
    public var isReadable: Bool { status == .loaded }

    /// At least one of its tracks is encrypted, and cannot be played. False until loaded; a file that is encrypted as a
    /// whole fails to load with the code `.encrypted`.
    public var hasProtectedContent: Bool { tracks.contains(where: \.hasProtectedContent) }

    /// `duration` is what the container declares, and no estimate. False until loaded; `AssetOptions.preciseTiming` gets
    /// the best that can be had.
    public var providesPreciseDurationAndTiming: Bool {
        guard let description else { return false }
        return !description.durationIsEstimate && description.duration.isNumeric
    }

    /// The kinds of which there is a group of options. Empty until loaded.
    public var availableMediaCharacteristicsWithMediaSelectionOptions: [MediaCharacteristic] {
        [.audible, .visual, .legible].filter { mediaSelectionGroup(for: $0) != nil }
    }
}

extension Asset {
    /// Its bytes come over a network, as far as is known.
    var isOfNetwork: Bool {
        if let description { return !description.isLocal }
        return options.byteSource.map { !$0.isLocal } ?? !url.isFileURL
    }
}
