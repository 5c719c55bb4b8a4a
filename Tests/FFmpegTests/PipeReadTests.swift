import Foundation
import MediaCore
import Testing

@testable import FFmpeg

@Suite("Interruptible reads from a pipe")
struct PipeReadTests {
    @Test("An interrupted read consumes nothing; the next one continues at the same offset")
    func interrupted() throws {
        let pipe = Pipe()
        let end = pipe.fileHandleForWriting
        let source = PipeByteSource(descriptor: pipe.fileHandleForReading.fileDescriptor)
        let context = ReadContext()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16, alignment: 1)
        defer { buffer.deallocate() }
        end.write(Data([1, 2, 3]))
        #expect(try source.read(at: 0, into: buffer, context: context) == 3)

        // If the wait does not end, these bytes end it and the test fails.
        let limit = DispatchWorkItem { end.write(Data([0])) }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(60), execute: limit)
        context.setNoticeHandler { notice in
            if notice == .waiting { context.interrupt(before: Epoch(1)) }
        }
        let error = #expect(throws: MediaError.self) {
            try source.read(at: 3, into: buffer, context: context)
        }
        #expect(error?.code == .cancelled)
        context.setNoticeHandler(nil)
        // Nothing can be read in the interrupted epoch.
        #expect(throws: MediaError.self) { try source.read(at: 3, into: buffer, context: context) }
        limit.cancel()

        context.begin(Epoch(1))
        end.write(Data([4, 5]))
        #expect(try source.read(at: 3, into: buffer, context: context) == 2)
        #expect(buffer[0] == 4 && buffer[1] == 5)
    }
}
