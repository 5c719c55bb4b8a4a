import ArgumentParser
import FoundationEssentials
import PlayheadCore

/// The position at which an input starts: a time, a time before the end ("-10"), a part of its duration ("50%"), or a
/// chapter ("#2").
enum StartPosition: ExpressibleByArgument, Hashable, Sendable {
    /// The time after the first frame.
    case time(MediaTime)
    /// The time before the end. In a shorter input it is the first frame.
    case beforeEnd(MediaTime)
    /// A part of the duration, 0 to 100.
    case percent(Double)
    /// The number of a chapter, from 1.
    case chapter(Int)

    init?(argument: String) {
        if argument.hasSuffix("%") {
            let digits = argument.dropLast()
            guard digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }), let value = Double(digits),
                value <= 100
            else { return nil }
            self = .percent(value)
        } else if argument.hasPrefix("#") {
            guard let number = Int(argument.dropFirst()), number > 0, argument.dropFirst().first != "+" else {
                return nil
            }
            self = .chapter(number)
        } else if argument.hasPrefix("-") {
            guard let time = TimeArgument(argument: String(argument.dropFirst()))?.time else { return nil }
            self = .beforeEnd(time)
        } else {
            // mpv accepts a plus sign.
            let text = argument.hasPrefix("+") ? String(argument.dropFirst()) : argument
            guard let time = TimeArgument(argument: text)?.time else { return nil }
            self = .time(time)
        }
    }

    /// The time, or nil if it depends on the input.
    var time: MediaTime? { if case .time(let time) = self { time } else { nil } }

    /// Returns the time in an input.
    ///
    /// - Parameters:
    ///   - zero: The time of the first frame.
    ///   - duration: The duration, if it is known.
    ///   - chapters: The chapters.
    /// - Returns: The item time, or nil if the input has no such position.
    func time(after zero: MediaTime, duration: MediaTime, chapters: [Chapter]) -> MediaTime? {
        switch self {
        case .time(let time): return zero + time
        case .beforeEnd(let time): return duration.isNumeric ? max(zero, duration - time) : nil
        case .percent(let percent): return duration.isNumeric ? duration * (percent / 100) : nil
        case .chapter(let number):
            return number <= chapters.count ? chapters[number - 1].timeRange.start : nil
        }
    }

    /// Why an input has no such position, as the end of a sentence.
    func absence(chapterCount: Int) -> String {
        switch self {
        case .time: "the start is unknown"
        case .beforeEnd: "the duration is unknown"
        case .percent: "the duration is unknown, and a part of it as well"
        case .chapter(let number): "there is no chapter \(number) (\(chapterCount) chapters)"
        }
    }
}
