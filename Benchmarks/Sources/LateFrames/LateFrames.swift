import Foundation
import Playhead

/// Checks on the machine's clock whether a sink receives its frames in time while other work is slow.
///
///     swift run -c release --package-path Benchmarks LateFrames [--frames 180] FILE
///
/// A player of FILE delivers frames to a sink that records how long after its due time each frame arrives: alone, beside a
/// second sink of the same layer that takes 200 ms for each frame, and while exact stills of FILE are generated. A frame is in
/// time if it arrives before the next frame is due. It prints the rows of a table, and exits with status 1 if a frame beside
/// the slow sink was late.
@main
struct LateFrames {
    private var frames = 180
    private var path = ""

    /// The time that the slow sink takes for each frame, in seconds.
    private static let slow = 0.2

    static func main() async throws {
        let command = try LateFrames(CommandLine.arguments.dropFirst())
        print("| | in time | median | worst | left out by the player | the other one |")
        print("|---|---:|---:|---:|---:|---|")
        let alone = await command.play { _ in nil }
        print(row("by itself", alone))
        let beside = await command.playBesideSlowSink()
        print(row("beside a sink that takes 200 ms a frame", beside))
        let stills = await command.play { url in Task { await makeStills(of: url) } }
        print(row("beside exact stills of the same file", stills))
        if beside.report.inTime < command.frames { exit(1) }
    }

    init(_ arguments: some Sequence<String>) throws {
        var rest = Array(arguments)[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--frames":
                guard let count = rest.popFirst().flatMap({ Int($0) }), count > 0 else {
                    throw UsageError("--frames wants a number above zero")
                }
                frames = count
            case let option where option.hasPrefix("-"): throw UsageError("unknown option \(option)")
            default: path = argument
            }
        }
        guard !path.isEmpty else { throw UsageError("which file?") }
    }

    private typealias Outcome = (report: Punctuality.Report, other: String)

    private var url: URL { URL(fileURLWithPath: path) }

    /// Measures frames while the task returned by `work` runs, and cancels it. Reports the number of stills that it made.
    private func play(beside work: @Sendable (URL) -> Task<Int, Never>?) async -> Outcome {
        let stage = WatchedPlayer(url)
        await stage.start()
        let task = work(url)
        let report = await stage.watch(frames)
        task?.cancel()
        let made = await task?.value
        await stage.end()
        return (report, made.map { "\($0) stills" } ?? "")
    }

    private func playBesideSlowSink() async -> Outcome {
        let stage = WatchedPlayer(url)
        let slow = CallbackVideoSink { _ in Thread.sleep(forTimeInterval: Self.slow) }
        stage.layer.add(slow)
        await stage.start()
        let before = stage.layer.counters(of: slow) ?? VideoSinkCounters()
        let report = await stage.watch(frames)
        let after = stage.layer.counters(of: slow) ?? VideoSinkCounters()
        await stage.end()
        let taken = after.framesDelivered - before.framesDelivered
        return (report, "took \(taken), lost \(after.framesDropped - before.framesDropped)")
    }

    /// Generates exact stills throughout the file until the task is cancelled, and returns their number.
    private static func makeStills(of url: URL) async -> Int {
        let asset = Asset(url: url)
        let generator = ImageGenerator(asset: asset)
        generator.requestedTimeToleranceBefore = .zero
        generator.requestedTimeToleranceAfter = .zero
        generator.maximumSize = PixelSize(width: 320, height: 320)
        var made = 0
        while !Task.isCancelled {
            let length = asset.media?.duration.seconds ?? 1
            let times = (0..<100).map {
                MediaTime(seconds: length * Double($0) / 100, preferredTimescale: 90_000)
            }
            for await result in generator.images(for: times) { if case .success = result { made += 1 } }
        }
        return made
    }

    private static func row(_ name: String, _ outcome: Outcome) -> String {
        let report = outcome.report
        func milliseconds(_ value: Double) -> String { String(format: "%.1f ms", value) }
        return "| \(name) | \(report.inTime) of \(report.frames) | \(milliseconds(report.median)) | "
            + "\(milliseconds(report.worst)) | \(report.dropped) | \(outcome.other) |"
    }
}

private struct UsageError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
