import PlayheadCore
import Synchronization

/// The value of `aid`, `vid` or `sid` that a client sets.
enum TrackRequest: Hashable, Sendable {
    /// The first file with subtitles, or else the default track.
    case automatic
    /// No track of the type.
    case disabled
    /// The number of a track among those of its type, from 1.
    case number(Int)

    /// Reads a value.
    ///
    /// - Throws: `.propertyFormat` if it is none of these.
    init(_ value: JSONValue) throws(ControlError) {
        if value.flag == false {
            self = .disabled
        } else if let number = value.int {
            self = .number(number)
        } else if case .string("auto") = value {
            self = .automatic
        } else {
            throw .propertyFormat
        }
    }

    var value: JSONValue {
        switch self {
        case .automatic: .string("auto")
        case .disabled: .bool(false)
        case .number(let number): .integer(number)
        }
    }

    var isNumber: Bool {
        if case .number = self { true } else { false }
    }

    /// Selects the track in a playback whose item is ready.
    ///
    /// - Throws: `.propertyError` if it has no such track that can be played.
    func select(_ type: MediaType, in playback: InputPlayback) throws(ControlError) {
        let (item, tracks, files) = (playback.item, playback.tracks(type), playback.files(type))
        var file: SubtitleFiles.File?
        switch self {
        case .automatic:
            file = files.first
            guard file == nil else { break }
            guard let track = tracks.defaultTrack(type) ?? tracks.first(where: \.isPlayable) else { return }
            item.selectTrack(track.id, ofType: type)
        case .disabled: item.disableTracks(ofType: type)
        case .number(let number):
            file = files.first { playback.number(of: $0) == number }
            guard file == nil else { break }
            guard number > 0, number <= tracks.count, tracks[number - 1].isPlayable else {
                throw .propertyError
            }
            item.selectTrack(tracks[number - 1].id, ofType: type)
        }
        if type == .subtitle { playback.show(file) }
    }
}

/// The properties of a file's tracks that `mpv` compares: a track that was selected by its number is selected in the next
/// file as well if they are the same.
struct TrackLayout: Equatable, Sendable {
    private struct Entry: Equatable {
        let type: MediaType
        let isDefault: Bool
        let language: String?
    }

    private let entries: [Entry]

    init(_ tracks: [Track]) {
        entries = tracks.map { Entry(type: $0.mediaType, isDefault: $0.isDefault, language: $0.language) }
    }
}

extension PlaySession {
    /// Selects a track in the item that plays, if it is ready, and in later ones. A number is valid until a file has other
    /// tracks.
    ///
    /// - Throws: `.propertyError` if the item that plays has no such track.
    func select(_ request: TrackRequest, _ type: MediaType) throws(ControlError) {
        guard let control else { return }
        guard let playback = loadedPlayback else {
            control.trackRequests[type] = request
            // The next file is the one that is meant.
            control.trackLayout = nil
            return
        }
        try request.select(type, in: playback)
        control.trackRequests[type] = request
        control.trackLayout = TrackLayout(playback.item.asset.tracks)
        // It may have been prepared already.
        if let next = state.withLock({ $0.next }), next.item.status == .readyToPlay {
            applyTrackRequests(to: next)
        }
    }

    /// Selects the tracks that clients have requested in a playback whose item has become ready.
    func applyTrackRequests(to playback: InputPlayback) {
        guard let control else { return }
        let layout = TrackLayout(playback.item.asset.tracks)
        if let previous = control.trackLayout, previous != layout {
            control.trackRequests = control.trackRequests.filter { !$0.value.isNumber }
        }
        control.trackLayout = layout
        for (type, request) in control.trackRequests where request != .automatic {
            do throws(ControlError) {
                try request.select(type, in: playback)
            } catch {
                // The item has no such track, and is played with its default one.
                continue
            }
        }
    }
}
