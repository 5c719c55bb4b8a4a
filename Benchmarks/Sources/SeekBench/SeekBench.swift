import Foundation
import Playhead

/// Answers requests to a paused player, one a line, with one line of JSON each: how long it took, and which
/// frame was shown.
///
///     SeekBench FILE [--hash]
///
/// `seek SECONDS`: exactly there; timed until the completion handler is called. `step COUNT`: so many frames
/// on or back; timed until the frame has reached the sink. With `--hash` the answer has the frame's MD5,
/// which is computed after the time has been taken. The first line is the answer to opening: the time from
/// when the item is set until its first frame is shown.
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

/// How a request came out.
struct Answer: Sendable {
    var isFinished = true
    var seconds = 0.0
    /// The one being shown.
    var frame: VideoFrame?
}
