import Foundation
import MediaCore
import Playhead
import PlayheadTesting

/// Measures how soon a player answers while a read of its file hangs.
///
///     swift run -c release --package-path Benchmarks InterruptBench FILE [--rounds 200]
///
/// Each round opens FILE again and plays it until a read hangs in its middle, where the bytes never arrive. Then
/// it requests one action and measures the time until the answer:
///
/// - `seek`: seeks exactly to 70 % of the file, until the completion handler is called and the frame is shown
/// - `pause`: pauses, until `timeControlStatus` is reported as paused
/// - `stop`: removes the item, until the removal is reported
/// - `replace`: sets another, readable item of the same file, until the change is reported; `replace-shown`:
///   until its first frame is shown
/// - `release`: shuts the player down, until the shutdown is complete
///
/// FILE should have an index and be larger than 16 KB; a few seconds of MP4 work best. It prints one line for
/// each action.
@main
enum InterruptBench {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard let path = arguments.first, !path.hasPrefix("-"), let rounds = rounds(arguments.dropFirst())
        else {
            end(64, "usage: InterruptBench FILE [--rounds 200]")
        }
        // A missing answer is the hang that this benchmark looks for, so it ends the command.
        for action in Action.allCases {
            do {
                var times: [Double] = []
                for _ in 0..<rounds { times.append(try await HungPlayer(path).time(action)) }
                print(line(action, times))
                fflush(nil)
            } catch {
                end(1, "InterruptBench: \(action.rawValue): \(error)")
            }
        }
    }

    private static func rounds(_ options: ArraySlice<String>) -> Int? {
        if options.isEmpty { return 200 }
        guard options.count == 2, options.first == "--rounds", let count = options.last.flatMap({ Int($0) }),
            count > 0
        else { return nil }
        return count
    }

    private static func line(_ action: Action, _ times: [Double]) -> String {
        let sorted = times.sorted()
        func at(_ share: Double) -> String {
            String(format: "%.2f", sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))])
        }
        let name = action.rawValue.padding(toLength: 14, withPad: " ", startingAt: 0)
        return "\(name) p50 \(at(0.5)) ms, p95 \(at(0.95)) ms, worst \(at(1)) ms, \(times.count) rounds"
    }

    static func end(_ status: Int32, _ words: String) -> Never {
        FileHandle.standardError.write(Data((words + "\n").utf8))
        exit(status)
    }
}

/// An action requested from a player whose read hangs.
enum Action: String, CaseIterable {
    case seek, pause, stop, replace, release
    case replaceShown = "replace-shown"
}

struct BenchError: Error, CustomStringConvertible {
    let description: String
}
