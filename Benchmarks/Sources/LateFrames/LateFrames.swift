import Foundation
import Playhead

/// Whether players are in time beside other work, on the machine's clock.
///
///     swift run -c release --package-path Benchmarks LateFrames [--players 1] [--seconds 6] FILE
///
/// Players of FILE, which loops, play by themselves; then while exact stills of FILE are made, one after the other; then both once more,
/// so that what else the machine does shows. Last, one player plays into two sinks, one of which takes 200 ms for each frame. Each
/// line tells of the frames that came in time at the sink that looks: before the next one was due.
@main
struct LateFrames {
    var players = 1
    var seconds = 6.0
    var path = ""

    static func main() async throws {
        let command = try LateFrames(CommandLine.arguments.dropFirst())
        for _ in 0..<2 {
            print("alone:", await command.play(stills: false))
            print("beside stills:", await command.play(stills: true))
        }
        print("beside a sink that takes 200 ms a frame:", await command.playBesideSlowSink())
    }

    init(_ arguments: some Sequence<String>) throws {
        var rest = Array(arguments)[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--players": players = try Self.number(rest.popFirst(), argument)
            case "--seconds": seconds = try Self.number(rest.popFirst(), argument)
            case let option where option.hasPrefix("-"): throw UsageError("unknown option \(option)")
            default: path = argument
            }
        }
        guard !path.isEmpty else { throw UsageError("which file?") }
    }

    private static func number<Number: LosslessStringConvertible & Comparable & ExpressibleByIntegerLiteral>(
        _ text: String?,
        _ option: String
    ) throws -> Number {
        guard let number = text.flatMap({ Number($0) }), number > 0 else {
            throw UsageError("\(option) wants a number above zero")
        }
        return number
    }

    private var url: URL { URL(fileURLWithPath: path) }

    private func play(stills: Bool) async -> String {
        let stages = (0..<players).map { _ in WatchedPlayer(url) }
        for stage in stages { stage.player.play() }
        // What begins is no longer under way.
        await sleep(1)
        let maker = stills ? Task { [url] in await Self.makeStills(of: url) } : nil
        for stage in stages { stage.beginCounting() }
        await sleep(seconds)
        let counts = stages.map { $0.endCounting() }
        maker?.cancel()
        let made = await maker?.value
        var sum = Punctuality.Count()
        for count in counts { sum.add(count) }
        return "\(sum)" + (made.map { "; stills made: \($0)" } ?? "")
    }

    private func playBesideSlowSink() async -> String {
        let stage = WatchedPlayer(url)
        let slow = CallbackVideoSink { _ in usleep(200_000) }
        stage.layer.add(slow)
        stage.player.play()
        await sleep(1)
        stage.beginCounting()
        await sleep(seconds)
        let slowCounts = stage.layer.counters(of: slow) ?? VideoSinkCounters()
        let slowWords = "took \(slowCounts.framesDelivered) and lost \(slowCounts.framesDropped)"
        return "\(stage.endCounting()); the slow one \(slowWords)"
    }

    /// Exact ones at times all over the file, until the task is cancelled. How many there were.
    private static func makeStills(of url: URL) async -> Int {
        let asset = Asset(url: url)
        let generator = ImageGenerator(asset: asset)
        generator.requestedTimeToleranceBefore = .zero
        generator.requestedTimeToleranceAfter = .zero
        generator.maximumSize = PixelSize(width: 320, height: 320)
        var made = 0
        while !Task.isCancelled {
            let length = asset.description?.duration.seconds ?? 1
            let times = (0..<100).map {
                MediaTime(seconds: length * Double($0) / 100, preferredTimescale: 90_000)
            }
            for await result in generator.images(for: times) { if case .success = result { made += 1 } }
        }
        return made
    }

    private func sleep(_ seconds: Double) async {
        // Only cancelling ends it early, and nobody cancels it.
        try? await Task.sleep(for: .seconds(seconds))
    }
}

private struct UsageError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
