import Foundation
import Playhead

/// The MD5 of a frame in the form that the library's sink writes: packed rows in the decoder's format.
enum FrameHash {
    static func of(_ frame: VideoFrame) -> String? {
        let pipe = Pipe()
        let output = ByteOutput(owning: dup(pipe.fileHandleForWriting.fileDescriptor), name: "hash")
        let sink = FrameMD5Sink(output)
        defer { sink.finish() }
        guard (try? sink.start(frame.format)) != nil, (try? sink.present(frame)) != nil else { return nil }
        sink.finish()
        pipe.fileHandleForWriting.closeFile()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        return text.split(separator: "\n").last?.split(separator: " ").last.map { String($0) }
    }
}
