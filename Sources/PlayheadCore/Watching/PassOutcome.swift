import FoundationEssentials
import PlaybackEngine

extension PlayerEvent.PassOutcome {
    /// Creates the public outcome. The engine has no URLs, so the URL is added to an error here.
    init(_ outcome: PassOutcome, url: URL) {
        switch outcome {
        case .playedToEnd: self = .playedToEnd
        case .replaced: self = .replaced
        case .stopped: self = .stopped
        case .failed(let error): self = .failed(PlaybackError(error, url: url))
        }
    }
}
