import FoundationEssentials
import PlayheadCore

/// The measurements of a benchmark.
struct BenchResult: Sendable {
    let frames: Int
    let nanoseconds: UInt64
    let cpuSeconds: Double
    /// The duration of the media. Not numeric if it is unknown.
    let duration: MediaTime
    let peakMemory = ProcessUsage.now.peakMemory

    private var seconds: Double { Double(max(1, nanoseconds)) / 1e9 }
    private var framesPerSecond: Double { Double(frames) / seconds }
    private var speed: Double? { duration.isNumeric ? duration.seconds / seconds : nil }

    func json(path: String, threads: Int?) -> String {
        let members: [(String, JSONValue)] = [
            ("path", .string(path)),
            ("frames", .integer(frames)),
            ("seconds", .real(seconds)),
            ("fps", .real(framesPerSecond)),
            ("duration", .time(duration)),
            ("speed", speed.map { .real($0) } ?? .null),
            ("cpuSeconds", .real(cpuSeconds)),
            ("peakMemory", .integer(peakMemory)),
            ("threads", threads.map { .integer($0) } ?? .null),
        ]
        return JSONValue.object(members).indentedText + "\n"
    }

    func sentence(threads: Int?) -> String {
        var lines = [
            "\(frames) frames in \(Self.short(seconds)) s: \(Self.short(framesPerSecond)) per second"
                + (speed.map { ", \(Self.short($0)) times real time" } ?? "")
        ]
        lines.append("cpu \(Self.short(cpuSeconds)) s, peak memory \(peakMemory >> 20) MiB")
        lines.append("threads " + (threads.map { "\($0)" } ?? "automatic"))
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns a number with three decimals.
    private static func short(_ value: Double) -> String {
        String(printf: "%.3f", value)
    }
}
