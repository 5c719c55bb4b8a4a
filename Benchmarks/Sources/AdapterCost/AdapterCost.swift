import BenchmarkKit
import Dispatch
import Foundation
import Playhead

/// Plays a clip in real time for a number of seconds, again and again, with the observers that an application has, and prints what
/// it cost: `AdapterCost playhead|avfoundation FILE SECONDS`. Both programs do the same, one with Playhead's names and one
/// with those of AVFoundation. `Benchmarks/cost/adapters.py` runs them in turn.
@main
enum AdapterCost {
    @MainActor
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let seconds = Double(arguments[3]) else {
            FileHandle.standardError.write(
                Data("usage: AdapterCost playhead|avfoundation FILE SECONDS\n".utf8)
            )
            exit(64)
        }
        let url = URL(fileURLWithPath: arguments[2])
        let screen = CompositeSink(size: PixelSize(width: 640, height: 360))
        screen.add(NullVideoSink())
        let program: any Program =
            arguments[1] == "playhead" ? PlayheadProgram(url, screen) : AdapterProgram(url, screen)
        program.play()
        try await Task.sleep(for: .seconds(seconds))
        let cost = ProcessCost.now
        let counts = program.counts
        print(
            """
            {"cpuSeconds": \(cost.cpuSeconds), "peakKilobytes": \(cost.peakKilobytes), "waits": \(cost.waits), \
            "changes": \(counts.changes), "ticks": \(counts.ticks), "passes": \(counts.passes)}
            """
        )
        exit(0)
    }
}
