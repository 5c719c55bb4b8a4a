import DequeModule
import MediaCore
import PlayheadBackend

/// The contents of a `FrameCache`, and its eviction rules.
struct FrameCacheContents {
    private struct CachedPass {
        var outputs: [DecoderOutput] = []
        var byteCount = 0
        /// The expected size of the whole pass.
        var expectedBytes: Int
        /// The size that the pass uses or will use.
        var reservedBytes: Int { max(byteCount, expectedBytes) }
    }

    private struct KeptFrame {
        var record: Int
        let frame: VideoFrame
        let byteCount: Int
        var time: MediaTime { frame.presentationTime }
    }

    private struct Share {
        /// The passes by track.
        var passes: [Int: CachedPass] = [:]
        /// The single frames, in order of time.
        var frames: Deque<KeptFrame> = []
        var position = MediaTime.zero
        var lastUse: UInt64 = 0

        var passBytes: Int { passes.values.reduce(0) { $0 + $1.byteCount } }
        var reservedBytes: Int { passes.values.reduce(0) { $0 + $1.reservedBytes } }

        /// Returns the index of the first frame at `time` or later.
        func index(of time: MediaTime) -> Int {
            var (low, high) = (0, frames.count)
            while low < high {
                let middle = (low + high) / 2
                if frames[middle].time < time { low = middle + 1 } else { high = middle }
            }
            return low
        }

        /// Returns the frame farthest from the position, which is the first or the last one.
        func farthest() -> (index: Int, distance: MediaTime)? {
            guard let first = frames.first, let last = frames.last else { return nil }
            let before = distance(to: first.time)
            let after = distance(to: last.time)
            return before >= after ? (0, before) : (frames.count - 1, after)
        }

        func distance(to time: MediaTime) -> MediaTime {
            time < position ? position - time : time - position
        }
    }

    private(set) var byteLimit: Int
    private(set) var byteCount = 0
    private var shares: [Int: Share] = [:]
    private var newestID = 0
    private var useCount: UInt64 = 0
    /// The evicted outputs. The holder of the lock releases them after unlocking.
    private var released: [DecoderOutput] = []

    init(byteLimit: Int) { self.byteLimit = max(0, byteLimit) }

    mutating func drainReleased() -> [DecoderOutput] {
        guard !released.isEmpty else { return [] }
        defer { released = [] }
        return released
    }

    mutating func setByteLimit(_ limit: Int) {
        byteLimit = limit
        while byteCount > byteLimit, dropFarthestFrame() {}
        while byteCount > byteLimit, let id = largestShare() { dropPasses(id) }
    }

    // MARK: Shares

    mutating func makeShare() -> Int {
        newestID += 1
        shares[newestID] = Share()
        return newestID
    }

    mutating func removeShare(_ id: Int) {
        dropPasses(id)
        for frame in shares[id]?.frames ?? [] { discard(frame) }
        shares[id] = nil
    }

    private mutating func markUsed(_ id: Int) {
        useCount += 1
        shares[id]?.lastUse = useCount
    }

    // MARK: Passes

    /// Returns the number of bytes that the share may use if all other shares with passes request more.
    func fairShare(with id: Int) -> Int {
        let others = shares.count { $0.key != id && !$0.value.passes.isEmpty }
        return byteLimit / (others + 1)
    }

    /// Returns the share whose passes use the most bytes; of equal ones, the newest.
    private func largestShare(except id: Int? = nil, over limit: Int = 0) -> Int? {
        let shares = shares.filter {
            $0.key != id && $0.value.passBytes > 0 && $0.value.reservedBytes > limit
        }
        return shares.max { ($0.value.reservedBytes, $0.key) < ($1.value.reservedBytes, $1.key) }?.key
    }

    mutating func beginPass(_ id: Int, _ track: Int, _ expectedBytes: Int) -> Bool {
        dropPass(id, track)
        guard byteLimit > 0, let share = shares[id],
            share.reservedBytes + max(0, expectedBytes) <= fairShare(with: id)
        else {
            return false
        }
        shares[id]?.passes[track] = CachedPass(expectedBytes: max(0, expectedBytes))
        return true
    }

    mutating func expect(_ bytes: Int, _ id: Int, _ track: Int) -> Bool {
        guard shares[id]?.passes[track] != nil else { return false }
        shares[id]?.passes[track]?.expectedBytes = max(0, bytes)
        guard shares[id]?.reservedBytes ?? 0 <= fairShare(with: id) else {
            dropPass(id, track)
            return false
        }
        return true
    }

    mutating func append(_ output: DecoderOutput, _ id: Int, _ track: Int) -> Bool {
        guard shares[id]?.passes[track] != nil else { return false }
        let size = output.byteCount
        guard makeRoom(size, forPassOf: id) else {
            dropPass(id, track)
            return false
        }
        shares[id]?.passes[track]?.outputs.append(output)
        shares[id]?.passes[track]?.byteCount += size
        byteCount += size
        return true
    }

    func output(_ index: Int, _ id: Int, _ track: Int) -> DecoderOutput? {
        guard let outputs = shares[id]?.passes[track]?.outputs, outputs.indices.contains(index) else {
            return nil
        }
        return outputs[index]
    }

    mutating func dropPass(_ id: Int, _ track: Int) {
        guard let pass = shares[id]?.passes.removeValue(forKey: track) else { return }
        byteCount -= pass.byteCount
        released += pass.outputs
    }

    private mutating func dropPasses(_ id: Int) {
        for track in Array(shares[id]?.passes.keys ?? [:].keys) { dropPass(id, track) }
    }

    /// Evicts single frames first, and then the passes of an item that exceeds its fair share. Returns false if
    /// the size still does not fit.
    private mutating func makeRoom(_ size: Int, forPassOf id: Int) -> Bool {
        let fair = fairShare(with: id)
        guard (shares[id]?.passBytes ?? 0) + size <= fair else { return false }
        while byteCount + size > byteLimit {
            if dropFarthestFrame() { continue }
            guard let other = largestShare(except: id, over: fair) else { return false }
            dropPasses(other)
        }
        return true
    }

    // MARK: Single frames

    mutating func keep(_ frame: VideoFrame, _ id: Int, _ record: Int) {
        markUsed(id)
        guard frame.presentationTime.isNumeric else { return }
        if record != 0 { dropFrame(at: frame.presentationTime, id, record: 0) }
        let size = DecoderOutput.video(frame).byteCount
        guard size <= byteLimit, let distance = shares[id]?.distance(to: frame.presentationTime) else {
            return
        }
        while byteCount + size > byteLimit {
            // Of the item's own frames, the farthest is evicted, which may be the new one.
            guard dropFarthestFrame(of: id, ifFartherThan: distance) else { return }
        }
        let kept = KeptFrame(record: record, frame: frame, byteCount: size)
        if let index = shares[id]?.index(of: kept.time) { shares[id]?.frames.insert(kept, at: index) }
        byteCount += size
    }

    func frame(at time: MediaTime, _ id: Int, _ record: Int) -> VideoFrame? {
        guard let share = shares[id] else { return nil }
        for index in share.index(of: time)..<share.frames.count {
            let kept = share.frames[index]
            guard kept.time == time else { return nil }
            if kept.record == record { return kept.frame }
        }
        return nil
    }

    func frame(nearestTo time: MediaTime, within distance: MediaTime, _ id: Int) -> VideoFrame? {
        guard let share = shares[id] else { return nil }
        let index = share.index(of: time)
        let indices = [index - 1, index].filter(share.frames.indices.contains)
        let neighbors = indices.map { share.frames[$0].frame }
        let nearest = neighbors.min { time.distance(to: $0) < time.distance(to: $1) }
        return nearest.flatMap { time.distance(to: $0) <= distance ? $0 : nil }
    }

    mutating func moveFrames(_ id: Int, _ record: Int, to other: Int) {
        guard let frames = shares[id]?.frames else { return }
        for index in frames.indices where frames[index].record == record {
            shares[id]?.frames[index].record = other
        }
    }

    private mutating func dropFrame(at time: MediaTime, _ id: Int, record: Int) {
        guard let share = shares[id] else { return }
        for index in share.index(of: time)..<share.frames.count {
            guard share.frames[index].time == time else { return }
            guard share.frames[index].record == record else { continue }
            if let frame = shares[id]?.frames.remove(at: index) { discard(frame) }
            return
        }
    }

    mutating func dropFrames(_ id: Int, _ record: Int) {
        guard let frames = shares[id]?.frames, frames.contains(where: { $0.record == record }) else { return }
        for frame in frames where frame.record == record { discard(frame) }
        shares[id]?.frames.removeAll { $0.record == record }
    }

    mutating func setPosition(_ time: MediaTime, _ id: Int) {
        markUsed(id)
        shares[id]?.position = time
    }

    private mutating func discard(_ frame: KeptFrame) {
        byteCount -= frame.byteCount
        released.append(.video(frame.frame))
    }

    /// Evicts the frame farthest from its item's position, in the share that was used least recently.
    ///
    /// - Parameters:
    ///   - own: A share of which a frame is evicted only if it is farther than `limit`.
    ///   - limit: The distance from the position of `own`.
    /// - Returns: False if no frame was evicted.
    private mutating func dropFarthestFrame(of own: Int? = nil, ifFartherThan limit: MediaTime = .zero)
        -> Bool
    {
        guard let (id, index, distance) = farthestFrame() else { return false }
        if id == own, distance <= limit { return false }
        if let frame = shares[id]?.frames.remove(at: index) { discard(frame) }
        return true
    }

    private func farthestFrame() -> (share: Int, index: Int, distance: MediaTime)? {
        var oldest: (id: Int, use: UInt64)?
        for (id, share) in shares where !share.frames.isEmpty && share.lastUse < oldest?.use ?? .max {
            oldest = (id, share.lastUse)
        }
        guard let oldest, let farthest = shares[oldest.id]?.farthest() else { return nil }
        return (oldest.id, farthest.index, farthest.distance)
    }
}

extension MediaTime {
    /// Returns the absolute difference between the time and the presentation time of a frame.
    func distance(to frame: VideoFrame) -> MediaTime {
        let time = frame.presentationTime
        return time < self ? self - time : time - self
    }
}
