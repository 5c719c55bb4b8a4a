import Glibc
import MediaCore
import Synchronization
import Testing

@testable import FFmpeg

// Rule: memory
@Suite("All codec contexts are created on one thread")
struct CodecOpenerTests {
    private static var thread: UInt { UInt(pthread_self()) }

    @Test func itIsAlwaysTheSameThread() async throws {
        let opener = CodecOpener()
        let threads = try await withThrowingTaskGroup(of: UInt.self) { group in
            for _ in 0..<32 { group.addTask { try opener.run { Self.thread } } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(threads.count == 1)
        #expect(!threads.contains(Self.thread))
    }

    @Test func errorsPassThrough() {
        #expect(throws: MediaError(.decoderFailed, "no")) {
            try CodecOpener().run { () throws(MediaError) in throw MediaError(.decoderFailed, "no") }
        }
    }

    @Test("If the system refuses the thread, the caller runs the call, and the next call tries again")
    func refused() throws {
        let requests = Atomic<Int>(0)
        let opener = CodecOpener { name, body in
            requests.add(1, ordering: .relaxed).newValue == 1 ? EAGAIN : DetachedThread.start(name, body)
        }
        #expect(try opener.run { Self.thread } == Self.thread)
        #expect(try opener.run { Self.thread } != Self.thread)
        #expect(try opener.run { Self.thread } != Self.thread)
        #expect(requests.load(ordering: .relaxed) == 2)
    }
}
