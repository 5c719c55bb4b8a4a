internal import Foundation

/// The threads of this process that the engine and libav have started. libav's threads inherit the name of their
/// creator.
package enum OwnThreads {
    /// Returns the number of the engine's threads. The main thread has the name of the test bundle, which begins with
    /// the same letters.
    package static func count() throws -> Int {
        try count { $0 == "playhead" || $0.hasPrefix("playhead.") }
    }

    /// Returns the number of threads whose names match.
    package static func count(where fits: (Substring) -> Bool) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count { id in
            // A thread that has ended has no name. Foundation's reading by path leaks memory.
            let file = FileHandle(forReadingAtPath: "/proc/self/task/\(id)/comm")
            guard let bytes = try? file?.readToEnd() else { return false }
            return fits(String(decoding: bytes, as: UTF8.self).dropLast(1))
        }
    }

    /// The maximum for any number of waiting players, including threads of earlier tests that end after a while.
    package static var bound: Int { 4 * ProcessInfo.processInfo.activeProcessorCount + 10 }
}
