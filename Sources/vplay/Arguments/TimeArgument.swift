import ArgumentParser
import PlayheadCore

/// An exact time on the command line: seconds or [[hh:]mm:]ss, with up to nine decimals.
struct TimeArgument: ExpressibleByArgument, Sendable {
    let time: MediaTime

    static let tenSeconds = TimeArgument(seconds: 10)

    private init(seconds: Int64) { time = MediaTime(value: seconds, timescale: 1) }

    var defaultValueDescription: String { decimalSeconds(time) ?? "" }

    init?(argument: String) {
        let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 3, let last = parts.last else { return nil }
        var seconds: Int64 = 0
        for (index, part) in parts.enumerated() {
            let isLast = index == parts.count - 1
            let whole = isLast ? part.prefix { $0 != "." } : part
            // Minutes and seconds of 60 or more are an error except in the first component.
            guard let number = Self.digits(whole), index == 0 || number < 60 else { return nil }
            let (carried, overflow) = seconds.multipliedReportingOverflow(by: 60)
            let (sum, sumOverflow) = carried.addingReportingOverflow(number)
            guard !overflow, !sumOverflow else { return nil }
            seconds = sum
        }
        guard let time = Self.time(seconds, fraction: last.drop { $0 != "." }) else { return nil }
        self.time = time
    }

    /// Returns the time, or nil if it cannot be represented.
    ///
    /// - Parameters:
    ///   - seconds: The whole seconds.
    ///   - fraction: An empty string, or a point and digits.
    private static func time(_ seconds: Int64, fraction: Substring) -> MediaTime? {
        var decimals = fraction.dropFirst()
        guard fraction.isEmpty || !decimals.isEmpty, decimals.utf8.count <= 9 else { return nil }
        guard decimals.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
        while decimals.last == "0" { decimals.removeLast() }
        var scale: Int32 = 1
        for _ in decimals { scale *= 10 }
        guard let part = decimals.isEmpty ? 0 : digits(decimals) else { return nil }
        let (ticks, overflow) = seconds.multipliedReportingOverflow(by: Int64(scale))
        let (value, sumOverflow) = ticks.addingReportingOverflow(part)
        guard !overflow, !sumOverflow else { return nil }
        return MediaTime(value: value, timescale: scale)
    }

    /// Returns the number that `text` denotes, or nil unless it consists of ASCII digits without sign or spaces.
    private static func digits(_ text: Substring) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text)
    }
}
