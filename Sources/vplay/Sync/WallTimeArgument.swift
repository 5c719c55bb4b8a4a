import ArgumentParser
import PlayheadCore

/// A time of the wall clock on the command line: seconds since 1970, or a date such as 2026-01-31T08:00:00Z.
struct WallTimeArgument: ExpressibleByArgument, Sendable {
    /// Nanoseconds since 1970.
    let nanoseconds: Int64

    init?(argument: String) {
        if let time = TimeArgument(argument: argument)?.time, !argument.contains(":"),
            let nanoseconds = time.nanoseconds
        {
            self.nanoseconds = nanoseconds
            return
        }
        guard let nanoseconds = DateText.nanoseconds(argument[...], requiresZone: true) else { return nil }
        self.nanoseconds = nanoseconds
    }
}
