import Foundation
import Playhead

/// Reads requests to a paused player, one per line, and answers each with one line of JSON: the time it took
/// and the frame that was shown.
///
///     SeekBench FILE [--hash]
///
/// `seek SECONDS` seeks exactly and is timed until the completion handler is called. `step COUNT` steps by that
/// many frames, forward or backward, and is timed until the frame has reached the sink. With `--hash` the answer
/// contains the frame's MD5, which is computed after the time has been measured. The first line reports opening:
/// the time from setting the item until its first frame is shown.
@main
enum SeekBench {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        guard let path = arguments.first, arguments.dropFirst().allSatisfy({ $0 == "--hash" }) else {
            end(64, "usage: SeekBench FILE [--hash]")
        }
        guard let bench = await PausedPlayer(URL(fileURLWithPath: path)) else {
            end(1, "SeekBench: \(path) cannot be played")
        }
        answer(bench.opening)
        while let line = readLine() {
            let words = line.split(separator: " ")
            switch (words.first, words.count == 2 ? Double(words[1]) : nil) {
            case ("seek", let seconds?): await answer(bench.seek(to: seconds))
            case ("step", let count?): await answer(bench.step(by: Int(count)))
            default: end(64, "SeekBench: what is '\(line)'?")
            }
        }
        await bench.shutdown()
    }

    private static let hashes = CommandLine.arguments.contains("--hash")

    private static func answer(_ answer: Answer) {
        var members = ["\"finished\": \(answer.isFinished)", "\"seconds\": \(answer.seconds)"]
        if let frame = answer.frame {
            members.append("\"frame\": \(frame.presentationTime.seconds)")
            if hashes, let hash = FrameHash.of(frame) { members.append("\"md5\": \"\(hash)\"") }
        }
        print("{" + members.joined(separator: ", ") + "}")
        fflush(nil)
    }

    private static func end(_ status: Int32, _ words: String) -> Never {
        FileHandle.standardError.write(Data((words + "\n").utf8))
        exit(status)
    }
}

/// The result of a request.
struct Answer: Sendable {
    var isFinished = true
    var seconds = 0.0
    /// The frame being shown.
    var frame: VideoFrame?
}
