import Glibc
import PlayheadCore

/// A moment in Coordinated Universal Time, with milliseconds.
struct UTCTime: Hashable, Sendable {
    private let milliseconds: Int64

    init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// The present, by the clock of the system, which may be adjusted.
    static var now: UTCTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return UTCTime(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// The time by ISO 8601: "2026-11-25T22:13:01.123Z".
    var text: String {
        var seconds = time_t(milliseconds / 1000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        return String(
            printf: "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ",
            Int(parts.tm_year) + 1900,
            Int(parts.tm_mon) + 1,
            Int(parts.tm_mday),
            Int(parts.tm_hour),
            Int(parts.tm_min),
            Int(parts.tm_sec),
            Int(milliseconds % 1000)
        )
    }
}
