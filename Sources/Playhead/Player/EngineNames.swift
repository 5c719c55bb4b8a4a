import Foundation
import PlaybackEngine

// The engine's words in the public API's.

extension Player.Status {
    init(_ state: LoadState) { self = Player.Status(rawValue: state.rawValue) ?? .unknown }
}

extension Player.TimeControlStatus {
    init(_ state: TimeControlState) { self = Player.TimeControlStatus(rawValue: state.rawValue) ?? .paused }
}

extension Player.RepeatMode {
    init(_ setting: RepeatSetting) { self = setting == .loop ? .loop : .once }
}

extension Player.ActionAtItemEnd {
    var engine: EndAction {
        switch self {
        case .advance: .advance
        case .pause: .pause
        case .none: .none
        }
    }
}

extension PlayerEvent.PassOutcome {
    init(_ outcome: PassOutcome, url: URL) {
        switch outcome {
        case .playedToEnd: self = .playedToEnd
        case .replaced: self = .replaced
        case .stopped: self = .stopped
        case .failed(let error): self = .failed(PlaybackError(error, url: url))
        }
    }
}
