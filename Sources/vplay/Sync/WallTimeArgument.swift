import ArgumentParser
import Foundation
import Playhead

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
        let formatter = ISO8601DateFormatter()
        guard let seconds = formatter.date(from: argument)?.timeIntervalSince1970,
            let whole = Int64(exactly: seconds.rounded()), abs(whole) < 9_000_000_000
        else { return nil }
        nanoseconds = whole * 1_000_000_000
    }
}
