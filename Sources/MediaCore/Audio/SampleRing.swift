import Synchronization

/// A ring buffer of samples between the thread that writes them and the thread that a device calls back.
///
/// Neither thread waits for the other. Reading allocates nothing and takes no lock.
///
/// Samples that are not written in time are replaced by silence. When they arrive later they are dropped, so the
/// samples after them are heard at the right time.
///
/// `@unchecked Sendable`: the memory between `readCount` and `writtenCount` belongs to the reader, and the rest to
/// the writer. Members marked as such are confined to one of the two. Before the reader loads `writtenCount`, it
/// stores in `claimedCount` how far the call may read. A writer that lowers `writtenCount` loads `claimedCount`
/// afterwards. So at least one of the two sees the other's change.
package final class SampleRing: @unchecked Sendable {
    package let channelCount: Int
    package let capacity: Int
    private let storage: UnsafeMutablePointer<Float>

    /// The number of samples per channel written since the beginning.
    private let writtenCount = Atomic<Int64>(0)
    /// The number of samples per channel read since the beginning.
    private let readCount = Atomic<Int64>(0)
    /// The number up to which the current call of the reader may read.
    private let claimedCount = Atomic<Int64>(0)
    /// The number of flushes that the writer has requested, with those before the ring was created. The reader applies
    /// them in its next call.
    private let flushes = Atomic<Int>(0)
    private let flushMark = Atomic<Int64>(0)
    private let skips = Atomic<Int64>(0)
    private let skipsAtFlush = Atomic<Int64>(0)
    private let expectsMore = Atomic<Bool>(true)
    private let gainTarget = Atomic<UInt32>(Float(1).bitPattern)
    private let underrunCount = Atomic<Int>(0)

    // Confined to the writer.
    private var isFading = false
    private var fadeStart: Int64 = 0
    private var fadeLength: Int64 = 0

    // Confined to the reader.
    private var appliedFlushes = 0
    private var appliedSkips: Int64 = 0
    /// The count at which the samples after the last flush start.
    private var origin: Int64 = 0
    /// The next sample for the device, in the writer's count.
    private var head: Int64 = 0
    private var hasStarted = false
    private var isUnderrunning = false
    private var gain: Float = 1
    private let gainStep: Float
    private let prefill: Int64

    /// Creates an empty ring.
    ///
    /// - Parameters:
    ///   - channelCount: The number of channels.
    ///   - capacity: The number of samples per channel that fit.
    ///   - prefill: The number of samples per channel that must be available after a flush before any is read, so
    ///     that the first call does not underrun.
    ///   - gainStep: The largest change of the gain from one sample to the next.
    ///   - flushes: The number of flushes before the ring was created, from which flushes are counted on.
    package init(channelCount: Int, capacity: Int, prefill: Int = 1, gainStep: Float = 1, flushes: Int = 0) {
        self.channelCount = max(1, channelCount)
        self.capacity = max(1, capacity)
        self.prefill = Int64(max(1, min(prefill, capacity)))
        self.gainStep = gainStep
        storage = .allocate(capacity: self.capacity * self.channelCount)
        self.flushes.store(flushes, ordering: .relaxed)
        appliedFlushes = flushes
    }

    deinit { storage.deallocate() }

    // MARK: Writer

    /// The number of samples per channel that can be written.
    package var writableCount: Int {
        capacity - Int(writtenCount.load(ordering: .relaxed) - readCount.load(ordering: .acquiring))
    }

    /// Writes interleaved samples, as many as fit.
    ///
    /// - Parameter samples: The samples of all channels.
    /// - Returns: The number of samples per channel that were written.
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

    /// Discards the samples from `frame` on, counted since the last flush, if the reader has not claimed them. The
    /// samples written next replace them, and are faded in over `fade` of the discarded samples.
    ///
    /// - Returns: The number of the sample that is written next. It is greater than `frame` if the reader was faster.
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

    /// Writes samples mixed with the discarded ones. Returns how many were written.
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

    /// Discards all samples that were not read, and restarts counting at 0.
    package func flush() {
        isFading = false
        flushMark.store(writtenCount.load(ordering: .relaxed), ordering: .relaxed)
        skipsAtFlush.store(skips.load(ordering: .relaxed), ordering: .relaxed)
        flushes.add(1, ordering: .releasing)
    }

    /// Drops the next `frames` samples per channel; if negative, inserts as much silence.
    package func skip(_ frames: Int64) { skips.add(frames, ordering: .relaxed) }
    /// Sets whether more samples follow, so that missing ones count as an underrun.
    package func setExpectsMore(_ flag: Bool) { expectsMore.store(flag, ordering: .relaxed) }
    /// Sets the gain that the reader approaches in steps of `gainStep`.
    package func setGain(_ gain: Float) { gainTarget.store(gain.bitPattern, ordering: .relaxed) }
    /// The number of times that the reader ran out of samples although more were expected.
    package var underruns: Int { underrunCount.load(ordering: .relaxed) }

    // MARK: Reader

    /// A Boolean value that indicates whether samples have been read since the last flush and more are expected.
    package var isExpectingSamples: Bool { hasStarted && expectsMore.load(ordering: .relaxed) }

    /// The sample at which the next call of `read` starts, and the number of flushes it belongs to; nil if none has
    /// been read since the last flush.
    package var next: (frame: Int64, flushes: Int)? {
        hasStarted ? (head - origin, appliedFlushes) : nil
    }

    /// A Boolean value that indicates whether there are enough samples to start. Until then, the device should
    /// receive nothing, because whatever it receives first is heard first.
    package var isReady: Bool {
        applyRequests()
        if hasStarted || head < origin { return true }
        let count = writtenCount.load(ordering: .acquiring) - readCount.load(ordering: .relaxed)
        return count >= prefill || count > 0 && !expectsMore.load(ordering: .relaxed)
    }

    /// Returns how many of the next `count` samples per channel are available; all of them if no more are expected.
    package func availableCount(of count: Int) -> Int {
        applyRequests()
        guard expectsMore.load(ordering: .relaxed) else { return count }
        return max(0, Int(min(Int64(count), writtenCount.load(ordering: .acquiring) - head)))
    }

    /// Discards all samples, because the device is gone. Silence replaces them.
    package func discard() {
        applyRequests()
        claimedCount.store(.max, ordering: .sequentiallyConsistent)
        let end = writtenCount.load(ordering: .sequentiallyConsistent)
        readCount.store(end, ordering: .releasing)
        claimedCount.store(end, ordering: .sequentiallyConsistent)
    }

    /// Fills all of `target` with `count` interleaved samples per channel. Missing samples are silence.
    package func read(into target: UnsafeMutablePointer<Float>, count: Int) {
        applyRequests()
        let claim = max(head, readCount.load(ordering: .relaxed)) + Int64(count)
        claimedCount.store(claim, ordering: .sequentiallyConsistent)
        // Loaded once: samples written during this call belong to the next one.
        let end = writtenCount.load(ordering: .sequentiallyConsistent)
        dropLateSamples(upTo: end)
        var done = 0
        if hasStarted || head < origin { done = writeSilence(target, count) }
        let start = readCount.load(ordering: .relaxed)
        let copied = min(count - done, Int(end - start))
        if copied > 0 {
            // Nothing has been heard yet, so the gain can change at once without a click.
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
        // The missing samples take up time, too.
        head += Int64(count - done)
        if !isUnderrunning, expectsMore.load(ordering: .relaxed) {
            underrunCount.add(1, ordering: .relaxed)
        }
        isUnderrunning = true
    }

    /// Applies the flushes and skips that the writer has requested.
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
        let requestedSkips = skips.load(ordering: .relaxed)
        guard requestedSkips != appliedSkips else { return }
        head += requestedSkips - appliedSkips
        appliedSkips = requestedSkips
    }

    /// Drops the samples whose time has passed.
    private func dropLateSamples(upTo end: Int64) {
        let start = readCount.load(ordering: .relaxed)
        let late = min(head, end) - start
        guard late > 0, hasStarted || head > origin else { return }
        readCount.store(start + late, ordering: .releasing)
    }

    /// Writes the silence that precedes the next sample. Returns its length in samples per channel.
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
        let targetGain = Float(bitPattern: gainTarget.load(ordering: .relaxed))
        if gain == targetGain {
            if gain != 1 { for index in 0..<count * channelCount { target[index] *= gain } }
            return
        }
        for frame in 0..<count {
            gain += max(-gainStep, min(gainStep, targetGain - gain))
            for index in frame * channelCount..<(frame + 1) * channelCount { target[index] *= gain }
        }
    }
}
