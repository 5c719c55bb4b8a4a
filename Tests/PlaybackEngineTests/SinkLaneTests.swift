import Dispatch
import MediaCore
import PlayheadTesting
import Testing

@testable import PlaybackEngine

// Rule: dropping, sink-pace
@Suite("Each sink of a layer has a lane of its own")
struct SinkLaneTests {
    /// A sink that blocks in each frame until its gate is signalled.
    private final class BlockingSink: VideoSink {
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

    /// A sink that signals each frame that it receives.
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

    private final class EmptyStorage: VideoFrameStorage {
        let byteCount: Int
        init(_ byteCount: Int) { self.byteCount = byteCount }
        func withPlanes<R>(_ body: ([VideoPlane]) throws -> R) rethrows -> R { try body([]) }
    }

    /// Returns a frame that claims to use `byteCount` bytes.
    private static func frame(_ number: Int, byteCount: Int = 0) -> VideoFrame {
        VideoFrame(
            format: VideoFormat(pixelFormat: .gray, size: PixelSize(width: 16, height: 8)),
            presentationTime: MediaTime(value: Int64(number), timescale: 30),
            duration: .invalid,
            isKeyFrame: true,
            sourceTime: SourceTime(ticks: nil, timeBase: Rational(1, 30)),
            storage: EmptyStorage(byteCount)
        )
    }

    /// Waits for a signal with a generous time limit.
    private static func passes(_ semaphore: DispatchSemaphore) -> Bool {
        semaphore.wait(timeout: .now() + 30) == .success
    }

    private static func layer(_ pool: LanePool) -> LayerOutput {
        let driver = PoolDriver(pool: pool)
        let conversions = FrameConversions(driver: driver) { preconditionFailure("no conversion expected") }
        return LayerOutput(driver: driver, label: "layer", conversions: conversions)
    }

    @Test("A sink that blocks loses frames, and another sink of the layer receives every frame")
    func otherSink() {
        let layer = Self.layer(LanePool(cores: 2, idleTime: 20_000_000))
        let (slow, quick) = (BlockingSink(), QuickSink())
        let skipped = Locked(0)
        layer.setReport { report in if case .skipped = report { skipped.withLock { $0 += 1 } } }
        layer.add(slow)
        layer.add(quick)
        for number in 0..<180 {
            layer.present(Self.frame(number), isEssential: false, done: nil)
            #expect(Self.passes(quick.taken))
        }
        #expect(layer.counters(of: quick)?.framesDropped == 0)
        // Two frames were on their way when the sink blocked.
        #expect(layer.counters(of: slow) == counters(0, 178))
        #expect(skipped.withLock { $0 } == 178)
        // The frame of a seek is kept for the sink, and is reported when both sinks have received it.
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
        "The late frame policy determines what a busy sink receives, and other sinks are not affected",
        arguments: [LateFramePolicy.dropLate, .newestOnly, .holdBack]
    )
    func policies(policy: LateFramePolicy) {
        let layer = Self.layer(LanePool(cores: 2, idleTime: 20_000_000))
        let (slow, quick) = (BlockingSink(policy), QuickSink())
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
        // The frame of a step or a seek is kept for the sink, whatever follows.
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
        // The completion is also called for frames that a sink did not receive.
        #expect(done.withLock { $0 } == 182)
    }

    @Test("Frames that are held back for a sink are limited by bytes")
    func heldBack() {
        let layer = Self.layer(LanePool(cores: 2, idleTime: 20_000_000))
        let slow = BlockingSink(.holdBack)
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
        // With capacity again, it receives frames of any size: one is being presented, and one waits.
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

    @Test(
        "A sink that is removed and added again while a frame is on its way is finished before it is started again"
    )
    func addedAgain() {
        let layer = Self.layer(LanePool(cores: 2, idleTime: 20_000_000))
        let slow = BlockingSink()
        layer.add(slow)
        layer.present(Self.frame(0), isEssential: true, done: nil)
        layer.remove(slow)
        layer.add(slow)
        let done = DispatchSemaphore(value: 0)
        layer.present(Self.frame(1), isEssential: true) { done.signal() }
        for _ in 0..<3 { slow.gate.signal() }
        #expect(Self.passes(done))
        #expect(slow.calls.withLock { $0 } == ["start", "0", "finish", "start", "0", "1"])
        // A detached sink can be attached elsewhere after the frames on their way to it, and is not finished.
        layer.present(Self.frame(2), isEssential: true, done: nil)
        let free = DispatchSemaphore(value: 0)
        layer.detach { free.signal() }
        #expect(free.wait(timeout: .now()) == .timedOut)
        slow.gate.signal()
        #expect(Self.passes(free))
        #expect(slow.calls.withLock { $0.last } == "2")
        #expect(layer.counters(of: slow) == nil)
    }

    @Test("A sink that throws is finished and removed, and the other sinks of its layer continue")
    func failure() {
        let driver = ManualDriver()
        let conversions = FrameConversions(driver: driver) { preconditionFailure("no conversion expected") }
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
        #expect(sinks[0].calls.filter { $0 == .finish }.count == 1)
        #expect(sinks[1].frames.count == 4)
        #expect(layer.counters(of: sinks[0]) == nil)
        #expect(layer.counters(of: sinks[1]) == counters(4, 0))
    }
}
