internal import Foundation

/// Threads of this process that are ours, and libav's, which take the name of who begins them.
package enum OwnThreads {
    /// The process's own threads have the name of the bundle of tests, which begins with the same letters.
    package static func count() throws -> Int {
        try count { $0 == "playhead" || $0.hasPrefix("playhead.") }
    }

    /// Those of the process whose names fit.
    package static func count(where fits: (Substring) -> Bool) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count { id in
            // One that has ended since has no name any more. Foundation's own reading of such files leaks memory.
            let file = FileHandle(forReadingAtPath: "/proc/self/task/\(id)/comm")
            guard let bytes = try? file?.readToEnd() else { return false }
            return fits(String(decoding: bytes, as: UTF8.self).dropLast(1))
        }
    }

    /// For any number of players that wait, beside those that earlier tests of the process have left, which go by and by.
    package static var bound: Int { 4 * ProcessInfo.processInfo.activeProcessorCount + 10 }
}
