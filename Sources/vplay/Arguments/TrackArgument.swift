import ArgumentParser
import PlaybackEngine
import PlayheadCore

/// A track selection by index in the container or by language.
enum TrackArgument: ExpressibleByArgument, Sendable {
    case index(Int)
    case language(String)

    init?(argument: String) {
        if argument.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            guard let index = Int(argument) else { return nil }
            self = .index(index)
        } else {
            self = .language(argument.lowercased())
        }
    }

    /// Returns the identifier of the first matching track, or why there is none, as the end of a sentence.
    func pick(_ type: MediaType, from tracks: [Track]) -> Result<Int, TrackNotFound> {
        let candidates = tracks.filter { $0.mediaType == type }
        let found: Track?
        let request: String
        switch self {
        case .index(let index):
            found = candidates.first { $0.id == index }
            request = "\(type.rawValue) track \(index)"
        case .language(let language):
            // Containers use "eng" or "en-US", users "en" or "en-GB".
            let names = [LanguageNames.all(language)]
            found =
                candidates.first { $0.languageIndices(in: names).region == 0 }
                ?? candidates.first { $0.languageIndices(in: names).language == 0 }
            request = "\(type.rawValue) track in language \(language)"
        }
        guard let found else {
            let list = candidates.map { "\($0.id)" + ($0.language.map { " (\($0))" } ?? "") }
            let available = list.isEmpty ? "the input has none" : "available: " + list.joined(separator: ", ")
            return .failure(TrackNotFound(message: "no \(request); \(available)"))
        }
        if let reason = found.unplayableReason {
            return .failure(
                TrackNotFound(message: "\(type.rawValue) track \(found.id) cannot be played: \(reason)")
            )
        }
        return .success(found.id)
    }
}

/// The reason why a requested track cannot be played.
struct TrackNotFound: Error {
    let message: String
}
