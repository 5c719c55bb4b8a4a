import ArgumentParser

/// The clock that playback follows.
enum SyncClock: String, CaseIterable, ExpressibleByArgument, Sendable {
    case wall
}
