import Foundation
import Glibc
import MediaCore
import TestSupport
import Testing

/// Runs the fuzz targets without libFuzzer: with the inputs of `Inputs`, of which those named "found-" have once shown a
/// fault, and with random changes of them.
@Suite("Fuzz targets")
struct InputTests {
    private static let names = FuzzTarget.all.map(\.name)
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Inputs")

    /// The CPU time that one input may use, in seconds. libFuzzer allows as much; most inputs take milliseconds.
    private static let timeLimit = 10.0

    private func inputs(of target: FuzzTarget) throws -> [(name: String, bytes: [UInt8])] {
        let folder = Self.folder.appendingPathComponent(target.folder)
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map { file in
            (file, Array(try Data(contentsOf: folder.appendingPathComponent(file))))
        }
    }

    /// Runs a target, and checks the result and the time.
    private func check(_ target: FuzzTarget, _ bytes: [UInt8], _ note: String) {
        var start = timespec()
        var end = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start)
        let violation = target.run(bytes)
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end)
        #expect(violation == nil, "\(target.name) \(note)")
        #expect(Double(end.tv_sec - start.tv_sec) < Self.timeLimit, "\(target.name) \(note)")
    }

    @Test("Each target accepts its inputs", arguments: names)
    func inputs(name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        let inputs = try self.inputs(of: target)
        #expect(!inputs.isEmpty)
        for input in inputs { check(target, input.bytes, input.name) }
        check(target, [], "empty")
    }

    @Test("Each folder of inputs belongs to a target")
    func folders() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(Set(folders) == Set(FuzzTarget.all.map(\.folder)))
    }

    @Test("Random changes of the inputs violate no rule", arguments: names)
    func changes(name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        let inputs = try self.inputs(of: target).filter { $0.bytes.count <= target.maximumLength }
        // Files are decoded, which takes longer.
        let count = target.maximumLength > 16 << 10 ? 40 : 500
        for seed in (0..<count).samples {
            var random = SplitMix64(UInt64(seed))
            var bytes = inputs.randomElement(using: &random)?.bytes ?? []
            for _ in 0..<Int.random(in: 1...6, using: &random) { change(&bytes, &random) }
            check(target, bytes, "seed \(seed)")
        }
    }

    private static let pieces: [[UInt8]] =
        [
            "9223372036854775807", "-9223372036854775808", "1e308", "nan", "0x", "\n", "\r\n\r\n", "\u{0}",
            "é", "#",
        ]
        .map { Array($0.utf8) } + [[0xFF, 0xFF, 0xFF, 0xFF], [0x7F, 0xFF, 0xFF, 0xFF], [0x80, 0, 0, 0]]

    private func change(_ bytes: inout [UInt8], _ random: inout SplitMix64) {
        let offset = Int.random(in: 0...bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0 where offset < bytes.count: bytes[offset] = UInt8(truncatingIfNeeded: random.next())
        case 1 where offset < bytes.count:
            bytes.removeSubrange(offset..<min(bytes.count, offset + Int.random(in: 1...16, using: &random)))
        case 2: bytes.removeLast(min(bytes.count, Int.random(in: 0...8, using: &random)))
        default: bytes.insert(contentsOf: Self.pieces.randomElement(using: &random) ?? [], at: offset)
        }
    }
}
