import Dispatch
import MediaCore
import PlayheadTesting
import Testing

@testable import PlaybackEngine

// Rule: dropping, sink-pace
@Suite("A lane for each sink of a layer")
struct SinkLaneTests {
    /// Takes frames no faster than it is told to.
    private final class HangingSink: VideoSink {
        let gate = DispatchSemaphore(value: 0)
        let calls = Locked([String]())
        let lateFramePolicy: LateFramePolicy

        init(_ policy: LateFramePolicy = .dropLate) { lateFramePolicy = policy }

        func start(_ format: VideoFormat) throws { calls.withLock { $0.append("start") } }
        func present(_ frame: VideoFrame) throws {
            gate.wait()
            calls.withLock { $0.append("\(frame.presentationTime.value)") }
        }
        func flush() { calls.withLock { $0.append("flush") } }
        func finish() { calls.withLock { $0.append("finish") } }
    }

    /// Tells of each frame that it was given.
    private final class QuickSink: VideoSink {
        let taken = DispatchSemaphore(value: 0)
        let count = Locked(0)

        func start(_ format: VideoFormat) throws {}
        func present(_ frame: VideoFrame) throws {
            count.withLock { $0 += 1 }
            taken.signal()
        }
        func finish() {}
    }

    private final class NoMemory: VideoFrameStorage {
        let byteCount: Int
        init(_ byteCount: Int) { self.byteCount = byteCount }
        func withPlanes<R>(_ body: ([VideoPlane]) throws -> R) rethrows -> R { try body([]) }
    }

    /// `byteCount`: what it says that it takes.
    private static func frame(_ number: Int, byteCount: Int = 0) -> VideoFrame {
        VideoFrame(
            format: VideoFormat(pixelFormat: .gray, size: PixelSize(width: 16, height: 8)),
            presentationTime: MediaTime(value: Int64(number), timescale: 30),
            duration: .invalid,
            isKeyFrame: true,
            sourceTime: SourceTime(ticks: nil, timeBase: Rational(1, 30)),
            storage: NoMemory(byteCount)
        )
    }

    /// So long that whatever is to come has come.
    private static func passes(_ semaphore: DispatchSemaphore) -> Bool {
        semaphore.wait(timeout: .now() + 30) == .success
    }

    private static func layer(_ pool: LanePool) -> LayerOutput {
        let driver = PoolDriver(pool: pool)
        let conversions = FrameConversions(driver: driver) { preconditionFailure("nothing is converted") }
        return LayerOutput(driver: driver, label: "layer", conversions: conversions)
    }

    @Test("A sink that hangs loses frames, and its sibling gets every one")
    func sibling() {
        let layer = Self.layer(LanePool(cores: 2, idleTime: 20_000_000))
        let (slow, quick) = (HangingSink(), QuickSink())
        let skipped = Locked(0)
        layer.setReport { report in if case .skipped = report { skipped.withLock { $0 += 1 } } }
        layer.add(slow)
        layer.add(quick)
        for number in 0..<180 {
            layer.present(Self.frame(number), isEssential: false, done: nil)
            #expect(Self.passes(quick.taken))
        }
        #expect(layer.counters(of: quick)?.framesDropped == 0)
        // Two were under way when it hung.
        #expect(layer.counters(of: slow) == counters(0, 178))
        #expect(skipped.withLock { $0 } == 178)
        // What a seek lands on waits for it, and is told when both have it.
        let done = DispatchSemaphore(value: 0)
        layer.flush()
        layer.present(Self.frame(500), isEssential: true) { done.signal() }
        #expect(Self.passes(quick.taken))
        #expect(done.wait(timeout: .now()) == .timedOut)
        for _ in 0..<3 { slow.gate.signal() }
        #expect(Self.passes(done))
        #expect(slow.calls.withLock { $0 } == ["start", "0", "1", "flush", "500"])
        #expect(layer.counters(of: slow) == counters(3, 178))
        #expect(layer.counters(of: quick) == counters(181, 0))
        let closed = DispatchSemaphore(value: 0)
        layer.close()
        layer.afterPending { closed.signal() }
        #expect(Self.passes(closed))
        #expect(slow.calls.withLock { $0.last } == "finish")
    }

    private func counters(_ delivered: Int, _ dropped: Int) -> VideoSinkCounters {
        var counters = VideoSinkCounters()
        (counters.framesDelivered, counters.framesDropped) = (delivered, dropped)
        return counters
    }

    @Test(
        "What a busy sink gets is for its policy to say, and nobody else notices",
        arguments: [LateFramePolicy.dropLate, .newestOnly, .holdBack]
    )
    func policies(policy: LateFramePolicy) {
        let layer = Self.layer(LanePool(cores: 2, idleTime: 20_000_000))
        let (slow, quick) = (HangingSink(policy), QuickSink())
        let (skipped, done) = (Locked(0), Locked(0))
        layer.setReport { report in if case .skipped = report { skipped.withLock { $0 += 1 } } }
        layer.add(slow)
        layer.add(quick)
        for number in 0..<180 {
            layer.present(Self.frame(number), isEssential: false) { done.withLock { $0 += 1 } }
            #expect(Self.passes(quick.taken))
        }
        let taken =
            switch policy {
            case .dropLate: [0, 1]
            case .newestOnly: [0, 179]
            case .holdBack: Array(0..<180)
            }
        #expect(skipped.withLock { $0 } == 180 - taken.count)
        #expect(layer.counters(of: slow) == counters(0, 180 - taken.count))
        // What a step or a seek lands on waits for it, whatever comes behind.
        for number in [500, 501] {
            layer.present(Self.frame(number), isEssential: number == 500) { done.withLock { $0 += 1 } }
            #expect(Self.passes(quick.taken))
        }
        for _ in 0..<182 { slow.gate.signal() }
        let over = DispatchSemaphore(value: 0)
        layer.afterPending { over.signal() }
        #expect(Self.passes(over))
        let last = policy == .holdBack ? [500, 501] : [500]
        #expect(slow.calls.withLock { $0 } == ["start"] + (taken + last).map { "\($0)" })
        #expect(layer.counters(of: quick) == counters(182, 0))
        // Who waits to hear that the sinks had a frame hears it of those that they did not get, too.
        #expect(done.withLock { $0 } == 182)
    }

    @Test("What is held back for a sink has a bound in bytes")
    func heldBack() {
        let layer = Self.layer(LanePool(cores: 2, idleTime: 20_000_000))
        let slow = HangingSink(.holdBack)
        layer.add(slow)
        for number in 0..<10 {
            layer.present(Self.frame(number, byteCount: 16 << 20), isEssential: false, done: nil)
        }
        #expect(layer.counters(of: slow)?.framesDropped == 6)
        for _ in 0..<4 { slow.gate.signal() }
        let over = DispatchSemaphore(value: 0)
        layer.afterPending { over.signal() }
        #expect(Self.passes(over))
        #expect(slow.calls.withLock { $0 } == ["start", "0", "1", "2", "3"])
        // With room again it gets what comes, however large that is: one in hand and one that waits.
        for number in 10..<13 {
            layer.present(Self.frame(number, byteCount: 80 << 20), isEssential: false, done: nil)
        }
        #expect(layer.counters(of: slow)?.framesDropped == 7)
        for _ in 0..<2 { slow.gate.signal() }
        let end = DispatchSemaphore(value: 0)
        layer.close()
        layer.afterPending { end.signal() }
        #expect(Self.passes(end))
        #expect(slow.calls.withLock { $0.suffix(3) } == ["10", "11", "finish"])
    }

    @Test("Taken off and added again while a frame is under way, a sink is finished before it begins anew")
    func addedAgain() {
        let layer = Self.layer(LanePool(cores: 2, idleTime: 20_000_000))
        let slow = HangingSink()
        layer.add(slow)
        layer.present(Self.frame(0), isEssential: true, done: nil)
        layer.remove(slow)
        layer.add(slow)
        let done = DispatchSemaphore(value: 0)
        layer.present(Self.frame(1), isEssential: true) { done.signal() }
        for _ in 0..<3 { slow.gate.signal() }
        #expect(Self.passes(done))
        #expect(slow.calls.withLock { $0 } == ["start", "0", "finish", "start", "0", "1"])
        // Let go of, it may go elsewhere when it has had what was under way, and is not finished.
        layer.present(Self.frame(2), isEssential: true, done: nil)
        let free = DispatchSemaphore(value: 0)
        layer.detach { free.signal() }
        #expect(free.wait(timeout: .now()) == .timedOut)
        slow.gate.signal()
        #expect(Self.passes(free))
        #expect(slow.calls.withLock { $0.last } == "2")
        #expect(layer.counters(of: slow) == nil)
    }

    @Test("A sink that throws is finished and taken off; the others of its layer go on")
    func failure() {
        let driver = ManualDriver()
        let conversions = FrameConversions(driver: driver) { preconditionFailure("nothing is converted") }
        let layer = LayerOutput(driver: driver, label: "layer", conversions: conversions)
        let sinks = (0..<2).map { _ in CapturingVideoSink(clock: driver.clock) }
        let failures = Locked([MediaError]())
        layer.setReport { report in
            if case .sinkFailed(let error, _) = report { failures.withLock { $0.append(error) } }
        }
        for sink in sinks { layer.add(sink) }
        sinks[0].fail(atFrame: 2)
        let done = Locked(0)
        for number in 0..<4 {
            layer.present(Self.frame(number), isEssential: false) { done.withLock { $0 += 1 } }
        }
        driver.settle()
        #expect(done.withLock { $0 } == 4)
        #expect(failures.withLock { $0.map(\.code) } == [.sinkFailed])
        #expect(sinks[0].calls.last == .finish && sinks[0].frames.count == 2)
        #expect(sinks[1].frames.count == 4)
        #expect(layer.counters(of: sinks[0]) == nil)
        #expect(layer.counters(of: sinks[1]) == counters(4, 0))
    }
}
