import Foundation
import PlaybackEngine

extension PlayerEvent.PassOutcome {
    /// The engine knows no URLs; an error that a user sees names one.
    init(_ outcome: PassOutcome, url: URL) {
        switch outcome {
        case .playedToEnd: self = .playedToEnd
        case .replaced: self = .replaced
        case .stopped: self = .stopped
        case .failed(let error): self = .failed(PlaybackError(error, url: url))
        }
    }
}
