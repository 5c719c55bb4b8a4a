import BenchmarkKit
import Foundation

/// Measures the cost of the engine for each frame, without codecs and sinks. Writes one line of JSON for each
/// run.
///
///     EngineCost virtual|real-time|machine [FRAMES [TIMES]]
///
/// - `virtual` plays as fast as possible on one thread.
/// - `real-time` does the same with the rules of the machine's clock.
/// - `machine` plays on the machine's clock at 100 frames per second, with all threads.
///
/// Opening is not included.
@main
enum EngineCost {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        let mode = arguments.first ?? ""
        let numbers = arguments.dropFirst().map { Int($0) ?? 0 }
        let frames = numbers.first ?? 1000
        let times = numbers.count > 1 ? numbers[1] : 1
        guard ["virtual", "real-time", "machine"].contains(mode), frames > 0, times > 0, numbers.count < 3
        else {
            end(64, "usage: EngineCost virtual|real-time|machine [FRAMES [TIMES]]")
        }
        for _ in 0..<times {
            let cost =
                mode == "machine" ? await onMachine(frames) : stepped(frames, isRealTime: mode == "real-time")
            guard let cost else { end(1, "EngineCost: not all frames were shown") }
            print(
                "{\"frames\": \(frames), \"cpuSeconds\": \(cost.cpuSeconds), \"waits\": \(cost.waits)}"
            )
        }
    }

    private static func stepped(_ frames: Int, isRealTime: Bool) -> ProcessCost? {
        let playback = ScriptedPlayback(frameCount: frames, isRealTime: isRealTime)
        let before = ProcessCost.now
        guard playback.play() else { return nil }
        return ProcessCost.now - before
    }

    private static func onMachine(_ frames: Int) async -> ProcessCost? {
        let result = await RealTimePlayback(frameCount: frames, frameRate: 100).play()
        // On a busy machine a few frames may be late.
        guard let result, result.frames > frames / 2 else { return nil }
        return result.cost
    }

    private static func end(_ status: Int32, _ words: String) -> Never {
        FileHandle.standardError.write(Data((words + "\n").utf8))
        exit(status)
    }
}
