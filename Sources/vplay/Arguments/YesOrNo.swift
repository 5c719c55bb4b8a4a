import ArgumentParser
import PlayheadCore

/// The value of an option that is either "yes" or "no".
enum YesOrNo: String, ExpressibleByArgument, CaseIterable, Sendable {
    case yes, no
}
