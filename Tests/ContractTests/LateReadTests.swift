import Dispatch
import MediaCore
import Playhead
import PlayheadTesting
import TestSupport
import Testing

/// Tests interrupted reads whose bytes arrive late, as a result instead of an error.
@Suite("Contract: bytes that arrive after the interruption", .enabled(if: Fixture.areThere, "make fixtures"))
struct LateReadTests {
    /// A source whose reads of the withheld part wait until they are interrupted, and then return their bytes.
    private final class LateSource: ByteSource {
        private let script: ScriptedByteSource
        private let held = Locked<Range<Int64>?>(nil)
        private let answers = Locked(0)
        /// Yields one element for each read that waits.
        let waits: AsyncStream<Void>
        private let waitBegan: AsyncStream<Void>.Continuation

        init(_ file: String) throws {
            script = try ScriptedByteSource(contentsOfFile: Fixture.path(file))
            script.limitReads(to: 2048)
            (waits, waitBegan) = AsyncStream.makeStream()
        }

        var byteCount: Int64? { script.byteCount }
        var isSeekable: Bool { true }
        var lateAnswers: Int { answers.withLock { $0 } }

        func hold(_ part: Range<Double>?) {
            let size = Double(script.byteCount ?? 0)
            let range = part.map { Int64($0.lowerBound * size)..<Int64($0.upperBound * size) }
            held.withLock { $0 = range }
        }

        func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
            try read(at: offset, into: buffer, context: ReadContext())
        }

        func read(
            at offset: Int64,
            into buffer: UnsafeMutableRawBufferPointer,
            context: ReadContext
        ) throws(MediaError) -> Int {
            if held.withLock({ $0?.contains(offset) }) ?? false {
                let semaphore = DispatchSemaphore(value: 0)
                // The limit keeps a failing test from hanging.
                let wait = {
                    self.waitBegan.yield()
                    _ = semaphore.wait(timeout: .now() + .seconds(30))
                }
                context.whileWaiting(onInterrupt: { semaphore.signal() }, wait: wait)
                answers.withLock { $0 += 1 }
            }
            return try script.read(at: offset, into: buffer, context: context)
        }

        func cancel() {}
    }

    @Test("Late bytes do no harm: all frames are exact", arguments: InterruptedReadTests.indexed)
    func late(_ file: String) async throws {
        let reference = try await HangScene.reference(file)
        let source = try LateSource(file)
        try await HangScene.play(file) { scene in
            let asset = Asset(url: Fixture.url(file), options: AssetOptions(byteSource: source))
            try await scene.load(asset)
            source.hold(HangScene.middle)
            try await scene.event("a stall", after: { scene.player.play() }) { event in
                if case .playbackStalled = event { true } else { false }
            }
            // On a busy machine the player may stall before it has read that far.
            for await _ in source.waits { break }
            let seek = try await scene.reachEnd { scene.beginSeek(to: 2100) }
            #expect(try await scene.answer(of: seek))
            #expect(Array(scene.takeFrames().drop { $0.time < .ms(2000) }) == reference.from(2100))
            #expect(source.lateAnswers >= 1)
            source.hold(nil)
            #expect(try await scene.seek(to: 0))
            _ = scene.takeFrames()
            try await scene.playToEnd()
            #expect(scene.takeFrames() == Array(reference.dropFirst()))
        }
    }
}
