import Foundation
import Glibc
import MediaCore
import Sinks
import TestSupport
import Testing

@Suite struct ByteOutputTests {
    @Test func gathersSmallPiecesAndKeepsTheOrder() throws {
        let folder = try TemporaryFolder()
        let output = try ByteOutput(path: folder.path("a"))
        var expected: [UInt8] = []
        for size in [1, 10, 1023, 1024, 5000, 3, 70000, 0, 200_000, 7] {
            let piece = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ size) }
            try output.write(piece)
            expected += piece
        }
        for index in 0..<20_000 {
            let piece = Array("line \(index)\n".utf8)
            try output.write(piece)
            expected += piece
        }
        #expect(output.byteCount == Int64(expected.count))
        try output.close()
        try output.close()
        #expect(try contents(folder.path("a")) == expected)
        #expect(throws: PlaybackError.self) { try output.write([1]) }
    }

    @Test("A symbolic link whose name begins with a combining mark is resolved in its own folder")
    func combiningMark() throws {
        let folder = try TemporaryFolder()
        try folder.write("sub/target", Array("old".utf8))
        let link = folder.path("sub") + "/\u{301}link"
        #expect(symlink("target", link) == 0)
        let output = try ByteOutput(replacing: link)
        try output.write(Array("new".utf8))
        try output.close()
        #expect(text(try contents(folder.path("sub/target"))) == "new")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["sub"])
    }

    @Test(
        "A file can be replaced whose name is as long as the system permits",
        arguments: ["a", "\u{915}\u{94D}\u{937}\u{93F}", "\u{1F1EB}\u{1F1EE}"]
    )
    func longName(_ character: String) throws {
        let folder = try TemporaryFolder()
        let name = String(repeating: character, count: 255 / character.utf8.count)
        let output = try ByteOutput(replacing: folder.path + "/" + name)
        try output.write(Array("new".utf8))
        try output.close()
        #expect(text(try contents(folder.path + "/" + name)) == "new")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
    }

    @Test("A name that is longer than the system permits is refused before anything is written")
    func tooLongName() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/" + String(repeating: "a", count: 256)
        #expect(throws: PlaybackError.self) {
            let output = try ByteOutput(replacing: path)
            try output.write([1])
            try output.close()
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test("A discarded output leaves the file that it would have replaced, and no part file")
    func discarded() throws {
        let folder = try TemporaryFolder()
        try folder.write("a", Array("old".utf8))
        let output = try ByteOutput(replacing: folder.path("a"))
        try output.write([UInt8](repeating: 1, count: 5000))
        output.discard()
        output.discard()
        try output.close()
        #expect(text(try contents(folder.path("a"))) == "old")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a"])
        #expect(throws: PlaybackError.self) { try output.write([1]) }
        let unused = try ByteOutput(replacing: folder.path("b"))
        unused.discard()
        let finished = try ByteOutput(replacing: folder.path("c"))
        try finished.write([1])
        try finished.close()
        finished.discard()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["a", "c"])
    }

    @Test func smallPiecesWaitForFlush() throws {
        let folder = try TemporaryFolder()
        let output = try ByteOutput(path: folder.path("a"))
        try output.write("abc")
        #expect(try contents(folder.path("a")).isEmpty)
        try output.flush()
        #expect(text(try contents(folder.path("a"))) == "abc")
        // The previous content is removed.
        let again = try ByteOutput(path: folder.path("a"))
        try again.close()
        #expect(try contents(folder.path("a")).isEmpty)
    }

    @Test func manyRowsGoOutInSeveralCalls() throws {
        let folder = try TemporaryFolder()
        let (storage, packed) = makeStorage([(1500, 2500)], layout: .padded)
        let sink = try RawVideoSink(path: folder.path("rows"))
        let format = VideoFormat(pixelFormat: .gray, size: PixelSize(width: 1500, height: 2500))
        try sink.present(videoFrame(format, storage))
        sink.finish()
        #expect(sink.error == nil)
        #expect(try contents(folder.path("rows")) == packed)
    }

    @Test func aFullPipeAcceptsALargeFrameInParts() async throws {
        let (reader, writer) = try makePipe()
        // The pipe is non-blocking, so the writer has to wait and to continue at the right byte.
        _ = fcntl(writer, F_SETFL, O_NONBLOCK)
        let (storage, packed) = makeStorage([(640, 480), (320, 240)], layout: .padded)
        let sink = RawVideoSink(ByteOutput(owning: writer, name: "pipe"))
        // A task would not run, because the sink blocks the thread of this one, and a machine with one core has no other.
        let (results, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        Thread.detachNewThread { continuation.yield(drain(reader)) }
        let format = VideoFormat(pixelFormat: .gray, size: PixelSize(width: 640, height: 480))
        for _ in 0..<5 { try sink.present(videoFrame(format, storage)) }
        sink.finish()
        var iterator = results.makeAsyncIterator()
        let received = await iterator.next()
        close(reader)
        #expect(received == (0..<5).flatMap { _ in packed })
    }

    /// The process has not changed SIGPIPE, so it would end here if the signal were not blocked.
    @Test func aClosedPipeIsAnErrorAndNoSignal() throws {
        let (reader, writer) = try makePipe()
        close(reader)
        let output = ByteOutput(owning: writer, name: "the pipe")
        try output.write("x")
        let error = #expect(throws: PlaybackError.self) { try output.flush() }
        #expect(error?.code == .brokenPipe && error?.systemCode == EPIPE && error?.url == nil)
        #expect(error?.message == "the pipe: broken pipe (the reader is closed)")
        #expect(#expect(throws: PlaybackError.self) { try output.write("y") }?.code == .brokenPipe)
        // The error was already thrown, so closing adds none.
        try output.close()
        var waiting = sigset_t()
        sigpending(&waiting)
        #expect(sigismember(&waiting, SIGPIPE) == 0)
    }

    @Test func aPipeThatClosesInMidStream() throws {
        let (reader, writer) = try makePipe()
        let (storage, _) = makeStorage([(64, 64)])
        let sink = RawVideoSink(ByteOutput(owning: writer, name: "pipe"))
        let frame = videoFrame(
            VideoFormat(pixelFormat: .gray, size: PixelSize(width: 64, height: 64)),
            storage
        )
        try sink.present(frame)
        #expect(sink.error == nil)
        close(reader)
        for _ in 0..<2 {
            #expect(#expect(throws: PlaybackError.self) { try sink.present(frame) }?.code == .brokenPipe)
        }
        sink.finish()
        #expect(sink.error?.code == .brokenPipe)
    }

    @Test func aFullDiskIsReported() throws {
        let output = try ByteOutput(path: "/dev/full")
        try output.write("small enough to wait")
        let error = #expect(throws: PlaybackError.self) { try output.close() }
        #expect(error?.message == "cannot write to /dev/full: No space left on device")
        #expect(error?.code == .diskFull && error?.url?.path == "/dev/full")
        #expect((error?.underlying as? POSIXError)?.code == .ENOSPC)

        let sink = try FrameMD5Sink(path: "/dev/full")
        try sink.start(VideoFormat(pixelFormat: .gray, size: PixelSize(width: 2, height: 2)))
        #expect(sink.error == nil)
        sink.finish()
        sink.finish()
        #expect(sink.error?.code == .diskFull && sink.error?.message == error?.message)
    }

    @Test func aPathThatCannotBeCreatedIsReported() throws {
        let folder = try TemporaryFolder()
        let missing = folder.path("no/such/folder")
        do throws(PlaybackError) {
            _ = try ByteOutput(path: missing)
            Issue.record("a file was created in a missing folder")
        } catch {
            #expect(error.code == .notFound && error.systemCode == ENOENT && error.url?.path == missing)
            #expect(error.message == "cannot create \(missing): No such file or directory")
        }
        let error = #expect(throws: PlaybackError.self) { try Y4MSink(path: folder.path) }
        #expect(error?.code == .io && error?.systemCode == EISDIR)
        // A relative path is named as it was given, and its URL is complete.
        let relative = #expect(throws: PlaybackError.self) { try WAVSink(path: "no/such/a.wav") }
        #expect(relative?.message == "cannot create no/such/a.wav: No such file or directory")
        #expect(relative?.url?.path.hasSuffix("/no/such/a.wav") == true)
    }

    @Test func rewritingNeedsAFileThatDoesNotAppend() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a")
        let output = try ByteOutput(path: path)
        #expect(output.isRewritable)
        try output.write("abcdef")
        try output.rewrite(at: 2, Array("XY".utf8))
        try output.write("g")
        try output.close()
        #expect(text(try contents(path)) == "abXYefg")

        let appending = ByteOutput(owning: open(path, O_WRONLY | O_APPEND | O_CLOEXEC), name: path)
        #expect(!appending.isRewritable)
        #expect(throws: PlaybackError.self) { try appending.rewrite(at: 0, [0]) }

        // Another process may have written before, as `(echo header; vplay ...) > file` does.
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        lseek(descriptor, 3, SEEK_SET)
        let later = ByteOutput(owning: descriptor, name: path)
        try later.write("123")
        try later.rewrite(at: 1, Array("-".utf8))
        try later.close()
        #expect(text(try contents(path)) == "abX1-3g")

        let (reader, writer) = try makePipe()
        #expect(!ByteOutput(owning: writer, name: "pipe").isRewritable)
        close(reader)
    }
}
