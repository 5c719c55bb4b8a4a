import Synchronization

/// Samples on their way from the thread that writes them to the one that a device calls. Neither waits for the
/// other, and taking allocates nothing and takes no lock.
///
/// What the device is not given in time it gets as silence, and when those samples come at last they are left
/// out: what is heard stays where it belongs in time.
///
/// `@unchecked Sendable`: the memory between `readCount` and `writtenCount` is the reader's, the rest the writer's; what is
/// marked so is confined to one of the two. Before the reader looks at `writtenCount` it says in `claimedCount` how far it
/// may read at this call, and a writer that lowers `writtenCount` looks there afterwards: one of the two sees the other.
package final class SampleRing: @unchecked Sendable {
    package let channelCount: Int
    package let capacity: Int
    private let storage: UnsafeMutablePointer<Float>

    /// Samples per channel since the beginning.
    private let writtenCount = Atomic<Int64>(0)
    private let readCount = Atomic<Int64>(0)
    private let claimedCount = Atomic<Int64>(0)
    /// Asked for by the writer; the reader complies at its next call.
    private let flushes = Atomic<Int>(0)
    private let flushMark = Atomic<Int64>(0)
    private let skips = Atomic<Int64>(0)
    private let skipsAtFlush = Atomic<Int64>(0)
    private let expectsMore = Atomic<Bool>(true)
    private let gainTarget = Atomic<UInt32>(Float(1).bitPattern)
    private let underrunCount = Atomic<Int>(0)

    // The writer's.
    private var isFading = false
    private var fadeStart: Int64 = 0
    private var fadeLength: Int64 = 0

    // The reader's.
    private var appliedFlushes = 0
    private var appliedSkips: Int64 = 0
    /// Where the samples since the last flush begin.
    private var origin: Int64 = 0
    /// Which sample the device is given next, on the writer's count.
    private var head: Int64 = 0
    private var hasStarted = false
    private var isUnderrunning = false
    private var gain: Float = 1
    private let gainStep: Float
    private let prefill: Int64

    /// `prefill`: samples per channel that must be there after a flush before any is readCount, so that the first
    /// call does not run dry. `gainStep`: by how much loudness changes from one sample to the next.
    package init(channelCount: Int, capacity: Int, prefill: Int = 1, gainStep: Float = 1) {
        self.channelCount = max(1, channelCount)
        self.capacity = max(1, capacity)
        self.prefill = Int64(max(1, min(prefill, capacity)))
        self.gainStep = gainStep
        storage = .allocate(capacity: self.capacity * self.channelCount)
    }

    deinit { storage.deallocate() }

    // MARK: The writer

    /// Samples per channel that fit in.
    package var writableCount: Int {
        capacity - Int(writtenCount.load(ordering: .relaxed) - readCount.load(ordering: .acquiring))
    }

    /// Interleaved samples; what does not fit is not readCount. Returns samples per channel that were.
    @discardableResult
    package func write(_ samples: UnsafeBufferPointer<Float>) -> Int {
        let count = min(writableCount, samples.count / channelCount)
        guard count > 0, let source = samples.baseAddress else { return 0 }
        let start = writtenCount.load(ordering: .relaxed)
        let faded = isFading ? writeFaded(source, count, at: start) : 0
        let rest = source + faded * channelCount
        let index = Int((start + Int64(faded)) % Int64(capacity))
        let first = min(count - faded, capacity - index)
        (storage + index * channelCount).update(from: rest, count: first * channelCount)
        storage.update(from: rest + first * channelCount, count: (count - faded - first) * channelCount)
        expectsMore.store(true, ordering: .relaxed)
        writtenCount.store(start + Int64(count), ordering: .releasing)
        return count
    }

    /// Takes back what was writtenCount from sample `frame` on, counted since the last flush, so that something else is
    /// writtenCount in its place, which is faded in over `fade` of the samples that were there. Returns the sample that
    /// is writtenCount next: a later one where the reader has been faster.
    package func rewind(to frame: Int64, fade: Int) -> Int64 {
        let end = writtenCount.load(ordering: .relaxed)
        let origin = flushMark.load(ordering: .relaxed)
        var start = max(origin &+ max(0, frame), claimedCount.load(ordering: .sequentiallyConsistent))
        guard start < end else { return end - origin }
        writtenCount.store(start, ordering: .sequentiallyConsistent)
        let claim = claimedCount.load(ordering: .sequentiallyConsistent)
        if claim > start {
            start = min(claim, end)
            writtenCount.store(start, ordering: .sequentiallyConsistent)
        }
        fadeStart = start
        fadeLength = min(Int64(max(0, fade)), end - start)
        isFading = fadeLength > 0
        return start - origin
    }

    /// Over the samples that lie there. Returns how many were.
    private func writeFaded(_ source: UnsafePointer<Float>, _ count: Int, at start: Int64) -> Int {
        let left = fadeStart + fadeLength - start
        let faded = Int(max(0, min(Int64(count), left)))
        for index in 0..<faded {
            let weight = (Float(start + Int64(index) - fadeStart) + 0.5) / Float(fadeLength)
            let target = storage + Int((start + Int64(index)) % Int64(capacity)) * channelCount
            for channel in 0..<channelCount {
                let old = target[channel]
                target[channel] = old + weight * (source[index * channelCount + channel] - old)
            }
        }
        if left <= Int64(count) { isFading = false }
        return faded
    }

    /// What was writtenCount and not readCount is not played. Counts what is writtenCount from here anew.
    package func flush() {
        isFading = false
        flushMark.store(writtenCount.load(ordering: .relaxed), ordering: .relaxed)
        skipsAtFlush.store(skips.load(ordering: .relaxed), ordering: .relaxed)
        flushes.add(1, ordering: .releasing)
    }

    package func skip(_ frames: Int64) { skips.add(frames, ordering: .relaxed) }
    package func setExpectsMore(_ flag: Bool) { expectsMore.store(flag, ordering: .relaxed) }
    package func setGain(_ gain: Float) { gainTarget.store(gain.bitPattern, ordering: .relaxed) }
    package var underruns: Int { underrunCount.load(ordering: .relaxed) }

    // MARK: The reader

    package var isExpectingSamples: Bool { hasStarted && expectsMore.load(ordering: .relaxed) }

    /// Which sample the next call of `read` begins with, since which flush. nil: none was writtenCount since.
    package var next: (frame: Int64, flushes: Int)? {
        hasStarted ? (head - origin, appliedFlushes) : nil
    }

    /// Whether there is something to play. Before that the device is better given nothing, for what is given to
    /// it first is heard first.
    package var isReady: Bool {
        applyRequests()
        if hasStarted || head < origin { return true }
        let count = writtenCount.load(ordering: .acquiring) - readCount.load(ordering: .relaxed)
        return count >= prefill || count > 0 && !expectsMore.load(ordering: .relaxed)
    }

    /// How many of the `count` samples per channel that `read` would give are there; all of them where nothing follows
    /// for the present.
    package func availableCount(of count: Int) -> Int {
        applyRequests()
        guard expectsMore.load(ordering: .relaxed) else { return count }
        return max(0, Int(min(Int64(count), writtenCount.load(ordering: .acquiring) - head)))
    }

    /// The device is gone, and with it what there is to play: silence will take its place.
    package func discard() {
        applyRequests()
        claimedCount.store(.max, ordering: .sequentiallyConsistent)
        let end = writtenCount.load(ordering: .sequentiallyConsistent)
        readCount.store(end, ordering: .releasing)
        claimedCount.store(end, ordering: .sequentiallyConsistent)
    }

    /// Fills all of `target`, interleaved.
    package func read(into target: UnsafeMutablePointer<Float>, count: Int) {
        applyRequests()
        let claim = max(head, readCount.load(ordering: .relaxed)) + Int64(count)
        claimedCount.store(claim, ordering: .sequentiallyConsistent)
        // Looked at once: what comes while this works is of the next call.
        let end = writtenCount.load(ordering: .sequentiallyConsistent)
        dropLateSamples(upTo: end)
        var done = 0
        if hasStarted || head < origin { done = writeSilence(target, count) }
        let start = readCount.load(ordering: .relaxed)
        let copied = min(count - done, Int(end - start))
        if copied > 0 {
            // Nothing was heard yet that could click.
            if !hasStarted { gain = Float(bitPattern: gainTarget.load(ordering: .relaxed)) }
            hasStarted = true
            isUnderrunning = false
            copy(from: start, copied, to: target + done * channelCount)
            readCount.store(start + Int64(copied), ordering: .releasing)
            head += Int64(copied)
            done += copied
        }
        guard done < count else { return }
        (target + done * channelCount).update(repeating: 0, count: (count - done) * channelCount)
        guard hasStarted else { return }
        // Time passes for the samples that are missing.
        head += Int64(count - done)
        if !isUnderrunning, expectsMore.load(ordering: .relaxed) {
            underrunCount.add(1, ordering: .relaxed)
        }
        isUnderrunning = true
    }

    private func applyRequests() {
        let newest = flushes.load(ordering: .acquiring)
        if newest != appliedFlushes {
            appliedFlushes = newest
            origin = flushMark.load(ordering: .relaxed)
            head = origin
            appliedSkips = skipsAtFlush.load(ordering: .relaxed)
            hasStarted = false
            isUnderrunning = false
            if readCount.load(ordering: .relaxed) < origin { readCount.store(origin, ordering: .releasing) }
        }
        let wanted = skips.load(ordering: .relaxed)
        guard wanted != appliedSkips else { return }
        head += wanted - appliedSkips
        appliedSkips = wanted
    }

    private func dropLateSamples(upTo end: Int64) {
        let start = readCount.load(ordering: .relaxed)
        let late = min(head, end) - start
        guard late > 0, hasStarted || head > origin else { return }
        readCount.store(start + late, ordering: .releasing)
    }

    /// Silence that goes before the next sample.
    private func writeSilence(_ target: UnsafeMutablePointer<Float>, _ count: Int) -> Int {
        let missing = readCount.load(ordering: .relaxed) - head
        guard missing > 0 else { return 0 }
        let silence = Int(min(Int64(count), missing))
        target.update(repeating: 0, count: silence * channelCount)
        head += Int64(silence)
        return silence
    }

    private func copy(from start: Int64, _ count: Int, to target: UnsafeMutablePointer<Float>) {
        let index = Int(start % Int64(capacity))
        let first = min(count, capacity - index)
        target.update(from: storage + index * channelCount, count: first * channelCount)
        (target + first * channelCount).update(from: storage, count: (count - first) * channelCount)
        let wanted = Float(bitPattern: gainTarget.load(ordering: .relaxed))
        if gain == wanted {
            if gain != 1 { for index in 0..<count * channelCount { target[index] *= gain } }
            return
        }
        for frame in 0..<count {
            gain += max(-gainStep, min(gainStep, wanted - gain))
            for index in frame * channelCount..<(frame + 1) * channelCount { target[index] *= gain }
        }
    }
}
