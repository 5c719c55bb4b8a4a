import ArgumentParser
import PlayheadCore

/// The format of the lines written for `--events`.
enum EventFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    case text, json, none
}
