import ArgumentParser
import Playhead

/// Shape of the lines of `--events`.
enum EventFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    case text, json, none
}
