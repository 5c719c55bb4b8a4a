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
