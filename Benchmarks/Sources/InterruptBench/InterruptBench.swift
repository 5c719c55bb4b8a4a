import Foundation
import MediaCore
import Playhead
import PlayheadTesting

/// How soon a player answers while a read of its file hangs.
///
///     swift run -c release --package-path Benchmarks InterruptBench FILE [--rounds 200]
///
/// Each round opens FILE anew and plays it until a read hangs at its middle: those bytes never come. Then it
/// asks for one thing, and times the answer:
///
/// - `seek`: exactly to 70 % of the file, until the completion handler is called and the frame is shown
/// - `pause`: until `timeControlStatus` is told as paused
/// - `stop`: the item is taken off, until that is told
/// - `replace`: by another item of the same file that can be read, until that is told; `replace-shown`: until
///   its first frame is shown
/// - `release`: the player is shut down, until that is done
///
/// FILE should have an index and take more than 16 KB: a few seconds of MP4 are best. One line for each.
@main
enum InterruptBench {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard let path = arguments.first, !path.hasPrefix("-"), let rounds = rounds(arguments.dropFirst())
        else {
            end(64, "usage: InterruptBench FILE [--rounds 200]")
        }
        // An answer that never comes ends the command: it is the hang that this is about.
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

/// What is asked of a player whose read hangs.
enum Action: String, CaseIterable {
    case seek, pause, stop, replace, release
    case replaceShown = "replace-shown"
}

struct BenchError: Error, CustomStringConvertible {
    let description: String
}
