import Foundation
import Playhead

/// Reads the frames of a file at given times, one series per line of the input, and answers each with one line of JSON.
///
///     SamplingBench FILE WIDTHxHEIGHT
///
/// A line contains the name of a file, or `-`, and the times in seconds. The frames are RGB with 8 bits, in the order of
/// the times. The answer contains the seconds from creating the asset until the last frame was received, the CPU time
/// of the process meanwhile, and the time of each frame. After the measurement, the frames are written to the file,
/// without padding.
@main
enum SamplingBench {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 2, let path = arguments.first, let size = arguments.last.flatMap(size) else {
            end(64, "usage: SamplingBench FILE WIDTHxHEIGHT")
        }
        while let line = readLine() {
            let words = line.split(separator: " ")
            let times = words.dropFirst().compactMap { Double($0) }
            guard let name = words.first, times.count == words.count - 1 else {
                end(64, "SamplingBench: what is '\(line)'?")
            }
            do {
                try await answer(path, size, times, writingTo: name == "-" ? nil : String(name))
            } catch {
                end(1, "SamplingBench: \(error)")
            }
        }
    }

    private static func size(_ text: String) -> PixelSize? {
        let sides = text.split(separator: "x").compactMap { Int($0) }
        return sides.count == 2 ? PixelSize(width: sides[0], height: sides[1]) : nil
    }

    private static func answer(
        _ path: String,
        _ size: PixelSize,
        _ seconds: [Double],
        writingTo name: String?
    ) async throws {
        let times = seconds.map { MediaTime(seconds: $0, preferredTimescale: 1_000_000) }
        let (start, cpu) = (ContinuousClock.now, cpuTime())
        var frames: [VideoFrame] = []
        let asset = Asset(url: URL(fileURLWithPath: path))
        for try await frame in asset.frames(.times(times), pixelFormat: .rgb24, size: size) {
            frames.append(frame)
        }
        let wall = (ContinuousClock.now - start) / .seconds(1)
        let used = cpuTime() - cpu
        let shown = frames.map { "\($0.presentationTime.seconds)" }.joined(separator: ", ")
        if let name {
            let bytes = frames.reduce(into: Data()) { append($1, to: &$0) }
            try bytes.write(to: URL(fileURLWithPath: name))
        }
        print("{\"seconds\": \(wall), \"cpu\": \(used), \"frames\": [\(shown)]}")
        fflush(nil)
    }

    private static func append(_ frame: VideoFrame, to bytes: inout Data) {
        frame.withPlanes { planes in
            for plane in planes {
                for row in 0..<plane.rowCount {
                    bytes.append(
                        plane.baseAddress.advanced(by: row * plane.bytesPerRow)
                            .assumingMemoryBound(to: UInt8.self),
                        count: plane.bytesUsedPerRow
                    )
                }
            }
        }
    }

    /// The CPU time of the process in seconds.
    private static func cpuTime() -> Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1e6
    }

    private static func end(_ status: Int32, _ message: String) -> Never {
        FileHandle.standardError.write(Data((message + "\n").utf8))
        exit(status)
    }
}
