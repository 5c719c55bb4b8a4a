import Synchronization
import Testing

@testable import MediaCore

@Suite("Sample ring")
struct SampleRingTests {
    private func write(_ ring: SampleRing, _ range: Range<Int>) {
        let samples = range.map(Float.init)
        samples.withUnsafeBufferPointer { _ = ring.write($0) }
    }

    private func read(_ ring: SampleRing, _ count: Int) -> [Float] {
        [Float](unsafeUninitializedCapacity: count) { target, filled in
            if let base = target.baseAddress { ring.read(into: base, count: count) }
            filled = count
        }
    }

    @Test(
        "Samples are read in order, across the end of the memory; excess samples are refused"
    )
    func passing() {
        let ring = SampleRing(channelCount: 1, capacity: 10)
        write(ring, 1..<8)
        #expect(read(ring, 5) == [1, 2, 3, 4, 5])
        write(ring, 8..<30)
        #expect(ring.writableCount == 0)
        #expect(read(ring, 10) == [6, 7, 8, 9, 10, 11, 12, 13, 14, 15])
        #expect(ring.underruns == 0)
    }

    @Test(
        "Missing samples are silent, counted once, and dropped when they arrive, so later samples stay on time"
    )
    func missing() {
        let ring = SampleRing(channelCount: 1, capacity: 100)
        write(ring, 1..<4)
        #expect(read(ring, 6) == [1, 2, 3, 0, 0, 0])
        #expect(read(ring, 1) == [0])
        #expect(ring.underruns == 1)
        write(ring, 4..<10)
        #expect(read(ring, 2) == [8, 9])
        #expect(ring.next?.frame == 9)
    }

    @Test("Running out of samples is no underrun if no more are expected")
    func expected() {
        let ring = SampleRing(channelCount: 1, capacity: 100)
        write(ring, 1..<4)
        ring.setExpectsMore(false)
        #expect(read(ring, 6) == [1, 2, 3, 0, 0, 0])
        #expect(ring.underruns == 0)
    }

    @Test("The available count excludes late samples, includes preceding silence, and is complete at the end")
    func atHand() {
        let ring = SampleRing(channelCount: 1, capacity: 100)
        #expect(ring.availableCount(of: 5) == 0)
        write(ring, 1..<4)
        #expect(ring.availableCount(of: 5) == 3)
        #expect(ring.availableCount(of: 2) == 2)
        ring.skip(-2)
        #expect(ring.availableCount(of: 9) == 5)
        #expect(read(ring, 7) == [0, 0, 1, 2, 3, 0, 0])
        #expect(ring.availableCount(of: 5) == 0)
        write(ring, 4..<9)
        #expect(ring.availableCount(of: 5) == 3)
        ring.flush()
        #expect(ring.availableCount(of: 5) == 0)
        ring.setExpectsMore(false)
        #expect(ring.availableCount(of: 5) == 5)
    }

    @Test("A flush discards unread samples and restarts counting")
    func flushing() {
        let ring = SampleRing(channelCount: 1, capacity: 100, prefill: 3)
        write(ring, 1..<9)
        _ = read(ring, 2)
        ring.flush()
        #expect(!ring.isReady)
        write(ring, 20..<22)
        #expect(!ring.isReady)
        #expect(ring.next == nil)
        write(ring, 22..<24)
        #expect(ring.isReady)
        #expect(read(ring, 2) == [20, 21])
        #expect(ring.next?.frame == 2)
        #expect(ring.next?.flushes == 1)
    }

    @Test("Flushes before the ring was created are counted")
    func earlierFlushes() {
        let ring = SampleRing(channelCount: 1, capacity: 100, flushes: 2)
        write(ring, 1..<9)
        #expect(read(ring, 2) == [1, 2])
        #expect(ring.next?.flushes == 2)
        ring.flush()
        write(ring, 20..<24)
        #expect(read(ring, 2) == [20, 21])
        #expect(ring.next?.flushes == 3)
    }

    @Test("Skipping drops samples, or inserts silence before them")
    func skipping() {
        let ring = SampleRing(channelCount: 1, capacity: 100)
        write(ring, 1..<20)
        #expect(read(ring, 2) == [1, 2])
        ring.skip(3)
        #expect(read(ring, 2) == [6, 7])
        ring.skip(-3)
        #expect(read(ring, 5) == [0, 0, 0, 8, 9])
        #expect(ring.next?.frame == 9)
        ring.skip(50)
        #expect(read(ring, 2) == [0, 0])
        write(ring, 20..<70)
        #expect(read(ring, 2) == [62, 63])
    }

    @Test("The gain changes step by step")
    func gain() {
        let ring = SampleRing(channelCount: 2, capacity: 100, gainStep: 0.25)
        let ones = [Float](repeating: 1, count: 20)
        ones.withUnsafeBufferPointer { _ = ring.write($0) }
        var samples = [Float](repeating: 9, count: 8)
        func readFour() {
            samples.withUnsafeMutableBufferPointer { target in
                if let base = target.baseAddress { ring.read(into: base, count: 4) }
            }
        }
        // Nothing has been heard yet, so the gain can change at once.
        ring.setGain(0.75)
        ring.setGain(1)
        readFour()
        #expect(samples == [1, 1, 1, 1, 1, 1, 1, 1])
        ring.setGain(0.5)
        readFour()
        #expect(samples == [0.75, 0.75, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5])
    }

    @Test("With two threads, each sample is read once, in order, or replaced by silence")
    func threads() async {
        let ring = SampleRing(channelCount: 1, capacity: 64)
        let isOver = Atomic<Bool>(false)
        let total = 200_000
        async let writing: Void = {
            var next = 1
            while next <= total {
                let count = min(17, ring.writableCount, total + 1 - next)
                guard count > 0 else {
                    await Task.yield()
                    continue
                }
                let samples = (next..<next + count).map(Float.init)
                samples.withUnsafeBufferPointer { _ = ring.write($0) }
                next += count
            }
            isOver.store(true, ordering: .releasing)
        }()
        var wrong = 0
        var audible = 0
        while !isOver.load(ordering: .acquiring) {
            let position = Int(ring.next?.frame ?? 0)
            let samples = read(ring, 13)
            for (index, value) in samples.enumerated() where value != 0 {
                audible += 1
                // Single precision represents every integer up to this value.
                if Int(value) != position + index + 1 { wrong += 1 }
            }
            if samples.last == 0 { await Task.yield() }
        }
        await writing
        #expect(wrong == 0)
        #expect(audible > 0)
    }

    @Test("Rewound samples are not played, and their replacement is faded in over them")
    func rewinding() {
        let ring = SampleRing(channelCount: 1, capacity: 16)
        write(ring, 0..<10)
        #expect(read(ring, 4) == [0, 1, 2, 3])
        #expect(ring.rewind(to: 6, fade: 2) == 6)
        let samples: [Float] = [106, 107, 108, 109, 110, 111, 112]
        samples.withUnsafeBufferPointer { _ = ring.write($0) }
        // A quarter and three quarters of the way from the old samples 6 and 7 to the new ones.
        #expect(read(ring, 9) == [4, 5, 31, 82, 108, 109, 110, 111, 112])
        #expect(ring.next?.frame == 13)
        #expect(ring.underruns == 0)
    }

    @Test("Samples that were read, or written before a flush, cannot be rewound")
    func rewindingTooFar() {
        let ring = SampleRing(channelCount: 1, capacity: 100)
        write(ring, 0..<10)
        _ = read(ring, 6)
        #expect(ring.rewind(to: 2, fade: 0) == 6)
        write(ring, 60..<62)
        #expect(read(ring, 2) == [60, 61])
        #expect(ring.rewind(to: 50, fade: 4) == 8)
        write(ring, 8..<20)
        ring.flush()
        write(ring, 20..<25)
        #expect(ring.rewind(to: -3, fade: 0) == 0)
        write(ring, 30..<32)
        #expect(read(ring, 2) == [30, 31])
    }

    @Test("With two threads and rewinding, each sample is read at the right position")
    func rewindingThreads() async {
        let ring = SampleRing(channelCount: 1, capacity: 256)
        let isOver = Atomic<Bool>(false)
        /// The number of samples written and not rewound.
        let written = Atomic<Int>(0)
        let total = 200_000
        async let rewinds: Int = {
            var next = 0
            var rewinds = 0
            var random = Seeded(7)
            while next < total {
                let count = min(17, ring.writableCount, total - next)
                if count > 0 {
                    let samples = (next..<next + count).map { Float($0 + 1) }
                    samples.withUnsafeBufferPointer { _ = ring.write($0) }
                    next += count
                    written.store(next, ordering: .releasing)
                }
                if count == 0 || Int.random(in: 0..<4, using: &random) == 0 {
                    let requested = next - Int.random(in: 1..<120, using: &random)
                    let actual = Int(ring.rewind(to: Int64(requested), fade: 5))
                    if actual < next { rewinds += 1 }
                    next = actual
                    written.store(next, ordering: .releasing)
                }
                if count == 0 { await Task.yield() }
            }
            isOver.store(true, ordering: .releasing)
            return rewinds
        }()
        var wrong = 0
        var random = Seeded(8)
        while !isOver.load(ordering: .acquiring) {
            let position = Int(ring.next?.frame ?? 0)
            // A reader that is always ahead would drop every sample, so it underruns only occasionally.
            let mayUnderrun = Int.random(in: 0..<64, using: &random) == 0
            guard position + (mayUnderrun ? 0 : 13) <= written.load(ordering: .acquiring) else {
                await Task.yield()
                continue
            }
            let samples = read(ring, 13)
            for (index, value) in samples.enumerated() where value != 0 && Int(value) != position + index + 1
            {
                wrong += 1
            }
            if samples.last == 0 { await Task.yield() }
        }
        #expect(await rewinds > 0)
        #expect(wrong == 0)
    }
}
