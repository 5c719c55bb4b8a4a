import Foundation
import Playhead

/// Reads requests to a paused player, one per line, and answers each with one line of JSON: the time it took
/// and the frame that was shown.
///
///     SeekBench FILE [--hash] [--no-cache]
///
/// `seek SECONDS` seeks exactly and is timed until the completion handler is called, and until the first frame has
/// reached the sink (`first`). `scrubbing 1` and `scrubbing 0` set `Player.isScrubbing`. `drag FROM TO COUNT` seeks
/// exactly COUNT times, every sixtieth of a second, to times from FROM to TO; the answer has the time of each seek until
/// the next frame is shown (`waits`), and the result of the last one. `step COUNT` steps by that
/// many frames, forward or backward, and is timed until the frame has reached the sink. With `--hash` the answer
/// contains the frame's MD5, which is computed after the time has been measured. With `--no-cache` the cache of decoded
/// frames has no memory. The first line reports opening:
/// the time from setting the item until its first frame is shown.
@main
enum SeekBench {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        let options = arguments.dropFirst()
        guard let path = arguments.first, options.allSatisfy({ ["--hash", "--no-cache"].contains($0) }) else {
            end(64, "usage: SeekBench FILE [--hash] [--no-cache]")
        }
        if options.contains("--no-cache") { Player.frameCacheByteLimit = 0 }
        guard let bench = await PausedPlayer(URL(fileURLWithPath: path)) else {
            end(1, "SeekBench: \(path) cannot be played")
        }
        answer(bench.opening)
        while let line = readLine() {
            let words = line.split(separator: " ")
            switch (words.first, words.count == 2 ? Double(words[1]) : nil) {
            case ("seek", let seconds?): await answer(bench.seek(to: seconds))
            case ("step", let count?): await answer(bench.step(by: Int(count)))
            case ("scrubbing", let flag?):
                bench.isScrubbing = flag != 0
                answer(Answer(frame: bench.shown))
            case ("drag", _) where words.count == 4:
                guard let from = Double(words[1]), let to = Double(words[2]), let count = Int(words[3]),
                    count > 1
                else { end(64, "SeekBench: what is '\(line)'?") }
                let (last, waits) = await bench.drag(from: from, to: to, count: count)
                answer(last, waits: waits)
            default: end(64, "SeekBench: what is '\(line)'?")
            }
        }
        await bench.shutdown()
    }

    private static let hashes = CommandLine.arguments.contains("--hash")

    private static func answer(_ answer: Answer, waits: [Double]? = nil) {
        var members = ["\"finished\": \(answer.isFinished)", "\"seconds\": \(answer.seconds)"]
        if let first = answer.first {
            members.append("\"first\": \(first.seconds)")
            members.append("\"first frame\": \(first.frame.presentationTime.seconds)")
        }
        if let waits { members.append("\"waits\": \(waits)") }
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
    /// The first frame that was shown, and the seconds until then.
    var first: (seconds: Double, frame: VideoFrame)?
    /// The frame being shown.
    var frame: VideoFrame?
}
