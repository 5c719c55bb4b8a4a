import Benchmark
import Foundation
import Playhead

/// Measures decode throughput: a player on the virtual clock delivers all frames of a file to a sink that
/// discards them. The files are the fixtures, and those listed in PLAYHEAD_BENCH_FILES, one per line
/// (`make bench FILE=...`).
let benchmarks: @Sendable () -> Void = {
    let framesPerSecond = BenchmarkMetric.custom("Frames per second", polarity: .prefersLarger)
    Benchmark.defaultConfiguration = .init(
        metrics: [framesPerSecond, .wallClock, .cpuTotal, .peakMemoryResident],
        timeUnits: .milliseconds,
        warmupIterations: 1,
        maxDuration: .seconds(5),
        maxIterations: 100
    )
    for file in DecodeBenchmarks.files {
        Benchmark("decode throughput: \(file.lastPathComponent)") { benchmark in
            let start = ContinuousClock.now
            let frames = try await DecodeBenchmarks.decode(file)
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            benchmark.measurement(framesPerSecond, Int(Double(frames) / seconds))
        }
    }
}

enum DecodeBenchmarks {
    private static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../media-fixtures/generated").standardizedFileURL

    /// One file of each codec and container.
    static var files: [URL] {
        let names = [
            "clip-h264-aac.mp4", "clip-h264-aac.ts", "clip-hevc-aac.mp4", "clip-vp9-opus.webm",
            "clip-av1-aac.mp4",
        ]
        let asked = (ProcessInfo.processInfo.environment["PLAYHEAD_BENCH_FILES"] ?? "").split(separator: "\n")
        return names.map { fixtures.appendingPathComponent($0) }
            + asked.map { URL(fileURLWithPath: String($0)) }
    }

    /// Decodes a file and returns the number of frames shown.
    static func decode(_ file: URL) async throws -> Int {
        var configuration = Player.Configuration()
        configuration.clock = .virtual
        configuration.audio = .none
        // The latency of the first frame is not measured.
        configuration.decoding.decodesFirstFrameAlone = false
        let player = Player(configuration: configuration)
        let layer = PlayerLayer(player: player)
        let sink = NullVideoSink()
        layer.add(sink)
        let events = player.events
        player.replaceCurrentItem(with: PlayerItem(url: file))
        player.play()
        for await event in events {
            switch event {
            case .passEnded(_, .failed(let error)): throw error
            case .itemStatusChanged(let item, .failed): if let error = item.error { throw error }
            case .passEnded:
                await player.shutdown()
                return withExtendedLifetime(layer) { sink.frameCount }
            default: continue
            }
        }
        return 0
    }
}
