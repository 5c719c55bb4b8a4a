import Foundation
import Testing

@testable import vplay

@Suite("Deferred output")
struct DeferredOutputTests {
    /// The capacity of a pipe.
    private static let pipeByteCount = 65536

    private func read(_ count: Int, from pipe: Pipe) throws -> String {
        String(decoding: try pipe.fileHandleForReading.read(upToCount: count) ?? Data(), as: UTF8.self)
    }

    @Test("Text that a pipe accepts is written at once")
    func healthy() throws {
        let pipe = Pipe()
        let output = DeferredOutput(pipe.fileHandleForWriting.fileDescriptor) { "\($0)" }
        output.write("first\n")
        output.write("second\n")
        #expect(!output.isPending)
        #expect(try read(13, from: pipe) == "first\nsecond\n")
    }

    @Test("Text for a full pipe does not wait, and is written in order later", .timeLimit(.minutes(2)))
    func full() throws {
        let pipe = Pipe()
        let output = DeferredOutput(pipe.fileHandleForWriting.fileDescriptor) { "\($0)" }
        let texts = (0..<4).map { String(repeating: "\($0)", count: Self.pipeByteCount * 3 / 4) }
        for text in texts { output.write(text) }
        #expect(output.isPending)
        output.finish(within: .zero)
        #expect(output.isPending)
        let expected = texts.joined()
        #expect(try read(expected.utf8.count, from: pipe) == expected)
        output.finish()
        #expect(!output.isPending)
    }

    @Test("Text beyond the capacity is dropped, and counted once the pipe is read", .timeLimit(.minutes(2)))
    func dropped() throws {
        let pipe = Pipe()
        let output = DeferredOutput(pipe.fileHandleForWriting.fileDescriptor, capacity: 5) { "(\($0) lost)" }
        let first = String(repeating: "a", count: Self.pipeByteCount)
        for text in [first, "12345", "6", "7"] { output.write(text) }
        let expected = first + "12345(2 lost)"
        #expect(try read(expected.utf8.count, from: pipe) == expected)
        output.write("8")
        #expect(try read(1, from: pipe) == "8")
    }
}
