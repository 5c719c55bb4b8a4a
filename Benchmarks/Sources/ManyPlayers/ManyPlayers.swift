import Foundation
import MediaCore
import Playhead

/// Measures the cost of a video wall: many players that loop one clip at the same time without audio.
///
///     swift run -c release --package-path Benchmarks ManyPlayers [--players 100] [--waiting 0] [--seconds 12] [--muted] [FILE]
///
/// Without FILE it creates a clip of 320x180, 25 frames per second and 5 s with `ffmpeg` in a temporary folder.
/// `--waiting` adds that many players whose bytes never arrive. With `--muted` audio is decoded, but muted.
/// It prints one line: the maximum number of threads, frames and late frames, lateness, CPU time, peak memory, and the
/// number of players that fell behind in the second half, according to the process's `PlaybackBudget`.
@main
struct ManyPlayers {
    var count = 100
    /// The number of players that wait for bytes.
    var waiting = 0
    var seconds = 12.0
    var isMuted = false
    var path: String?

    static func main() throws {
        let command = try ManyPlayers(CommandLine.arguments.dropFirst())
        guard let path = command.path else {
            let folder = FileManager.default.temporaryDirectory
                .appending(path: "playhead-many-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer {
                do { try FileManager.default.removeItem(at: folder) } catch { printError("\(error)") }
            }
            return print(command.run(try makeClip(in: folder)))
        }
        print(command.run(path))
    }

    init(_ arguments: some Sequence<String>) throws {
        var rest = Array(arguments)[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--players": count = try Self.number(rest.popFirst(), argument)
            case "--waiting": waiting = try Self.number(rest.popFirst(), argument)
            case "--muted": isMuted = true
            case "--seconds": seconds = try Self.number(rest.popFirst(), argument)
            case let option where option.hasPrefix("-"): throw UsageError("unknown option \(option)")
            default: path = argument
            }
        }
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

    /// Measures on the main thread, which sleeps between samples and is included in the number of threads.
    private func run(_ path: String) -> String {
        let item = URL(fileURLWithPath: path)
        let waiting = (0..<waiting).map { _ in
            Stage(
                PlayerItem(asset: Asset(url: item, options: AssetOptions(byteSource: SilentSource()))),
                isMuted
            )
        }
        for stage in waiting { stage.player.play() }
        if !waiting.isEmpty { Thread.sleep(forTimeInterval: 1) }
        let stages = (0..<count).map { _ in Stage(PlayerItem(url: item), isMuted) }
        for stage in stages { stage.player.play() }
        var threads = Peak()
        let start = Date()
        let before = Usage.now
        var isHalf = false
        while Date().timeIntervalSince(start) < seconds {
            threads.note(Self.threadCount)
            if !isHalf, Date().timeIntervalSince(start) > seconds / 2 {
                isHalf = true
                _ = PlaybackBudget.shared.lateMembers()
            }
            Thread.sleep(forTimeInterval: 0.02)
        }
        let elapsed = Date().timeIntervalSince(start)
        let usage = Usage.now
        let behind = PlaybackBudget.shared.lateMembers().count
        let all = stages.map(\.player.counters)
        let frames = all.map(\.framesPresented).reduce(0, +)
        let lateness = all.map(\.totalLateness).reduce(Duration.zero, +)
        let started = all.compactMap(\.startupTime)
        withExtendedLifetime(waiting) {}
        return [
            "players \(count), started \(started.count), seconds \(Self.decimal(elapsed, 1))",
            "threads at most \(threads.value), at the end \(Self.threadCount)",
            "frames \(frames), late \(all.map(\.framesLate).reduce(0, +))",
            "dropped \(all.map(\.framesDropped).reduce(0, +))",
            "skipped by sinks \(all.map(\.framesSkippedBySinks).reduce(0, +))",
            "behind \(behind)",
            "stalls \(all.map(\.stalls).reduce(0, +))",
            "lateness mean \(Self.decimal(lateness / .milliseconds(1) / Double(max(1, frames)), 3)) ms",
            "worst \(Self.decimal((all.map(\.worstLateness).max() ?? .zero) / .milliseconds(1), 1)) ms",
            "last start after \(Self.decimal((started.max() ?? .zero) / .milliseconds(1), 0)) ms",
            "CPU \(Self.decimal(usage.cpuSeconds - before.cpuSeconds, 2)) s",
            "context switches \(usage.switches - before.switches)",
            "peak memory \(usage.peakMemory / 1_000_000) MB",
        ].joined(separator: "; ")
    }

    private static func makeClip(in folder: URL) throws -> String {
        let clip = folder.appending(path: "180p.mp4").path
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i"]
            + ["testsrc2=size=320x180:rate=25:duration=5", "-pix_fmt", "yuv420p", "-g", "50", clip]
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw UsageError("ffmpeg could not make a clip") }
        return clip
    }

    private static var threadCount: Int {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return 0 }
        let line = status.split(separator: "\n").first { $0.hasPrefix("Threads:") }
        return line.flatMap { Int($0.dropFirst("Threads:".count).drop(while: \.isWhitespace)) } ?? 0
    }

    private static func decimal(_ value: Double, _ digits: Int) -> String {
        String(format: "%.\(digits)f", value)
    }

    private static func printError(_ sentence: String) {
        FileHandle.standardError.write(Data("ManyPlayers: \(sentence)\n".utf8))
    }
}

/// One player with its layer and its membership in the playback budget.
private struct Stage {
    let player: Player
    let layer: PlayerLayer
    let membership: PlaybackBudget.Membership

    init(_ item: PlayerItem, _ isMuted: Bool) {
        var configuration = Player.Configuration()
        if !isMuted { configuration.audio = .none }
        player = Player(configuration: configuration)
        player.isMuted = isMuted
        membership = PlaybackBudget.shared.join(player)
        player.replaceCurrentItem(with: item)
        player.repeatMode = .loop
        layer = PlayerLayer(player: player)
        layer.add(NullVideoSink())
    }
}

/// A source whose bytes never arrive.
private final class SilentSource: ByteSource {
    private let semaphore = DispatchSemaphore(value: 0)
    var byteCount: Int64? { nil }
    var isSeekable: Bool { false }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        semaphore.wait()
        semaphore.signal()
        throw MediaError(.cancelled, "reading was cancelled")
    }

    func cancel() { semaphore.signal() }
}

private struct Peak {
    private(set) var value = 0
    mutating func note(_ sample: Int) { value = max(value, sample) }
}

/// The resources that the process has used so far.
private struct Usage {
    var cpuSeconds: Double
    /// Peak resident memory in bytes.
    var peakMemory: Int
    var switches: Int

    static var now: Usage {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return Usage(
            cpuSeconds: seconds(usage.ru_utime) + seconds(usage.ru_stime),
            peakMemory: usage.ru_maxrss << 10,
            switches: usage.ru_nvcsw + usage.ru_nivcsw
        )
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000
    }
}

private struct UsageError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
