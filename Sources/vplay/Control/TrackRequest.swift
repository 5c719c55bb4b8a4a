import PlayheadCore
import Synchronization

/// The value of `aid`, `vid` or `sid` that a client sets.
enum TrackRequest: Hashable, Sendable {
    /// The first track that can be played.
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

    /// Selects the track in an item that is ready.
    ///
    /// - Throws: `.propertyError` if the item has no such track that can be played.
    func select(_ type: MediaType, in item: PlayerItem) throws(ControlError) {
        let tracks = item.asset.tracks.filter { $0.mediaType == type }
        switch self {
        case .automatic:
            if let first = tracks.first(where: \.isPlayable) { item.selectTrack(first.id, ofType: type) }
        case .disabled: item.disableTracks(ofType: type)
        case .number(let number):
            guard number > 0, number <= tracks.count, tracks[number - 1].isPlayable else {
                throw .propertyError
            }
            item.selectTrack(tracks[number - 1].id, ofType: type)
        }
    }
}

extension PlaySession {
    /// Selects a track in the item that plays, or else in the next one that becomes ready.
    ///
    /// - Throws: `.propertyError` if the item that plays has no such track.
    func select(_ request: TrackRequest, _ type: MediaType) throws(ControlError) {
        let item: PlayerItem
        do throws(ControlError) {
            item = try readyItem()
        } catch {
            control?.trackRequests[type] = request
            return
        }
        try request.select(type, in: item)
    }

    /// Selects the tracks that were requested before an item was ready.
    func applyTrackRequests(to item: PlayerItem) {
        guard let control else { return }
        let requests = control.trackRequests
        control.trackRequests = [:]
        for (type, request) in requests where request != .automatic {
            do throws(ControlError) {
                try request.select(type, in: item)
            } catch {
                // The item has no such track, and is played with its default one.
                continue
            }
        }
    }
}
