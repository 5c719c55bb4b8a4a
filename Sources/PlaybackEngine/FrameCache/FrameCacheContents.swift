import DequeModule
import MediaCore
import PlayheadBackend

/// What a `FrameCache` holds, and the rules by which it makes room.
struct FrameCacheContents {
    private struct Lap {
        var outputs: [DecoderOutput] = []
        var byteCount = 0
        /// What the whole lap will take.
        var expected: Int
        /// What is held, or will be.
        var claim: Int { max(byteCount, expected) }
    }

    private struct KeptFrame {
        let run: Int
        let frame: VideoFrame
        let byteCount: Int
        var time: MediaTime { frame.presentationTime }
    }

    private struct Share {
        /// By track.
        var laps: [Int: Lap] = [:]
        /// In order of time.
        var frames: Deque<KeptFrame> = []
        var position = MediaTime.zero
        var lastUse: UInt64 = 0

        var lapBytes: Int { laps.values.reduce(0) { $0 + $1.byteCount } }
        var claim: Int { laps.values.reduce(0) { $0 + $1.claim } }

        /// The first frame at `time` or later.
        func index(of time: MediaTime) -> Int {
            var (low, high) = (0, frames.count)
            while low < high {
                let middle = (low + high) / 2
                if frames[middle].time < time { low = middle + 1 } else { high = middle }
            }
            return low
        }

        /// The frame farthest from the position is the first or the last one.
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
    private var newest = 0
    private var uses: UInt64 = 0
    /// What left the cache. Whoever holds the lock frees it afterwards.
    private var garbage: [DecoderOutput] = []

    init(byteLimit: Int) { self.byteLimit = max(0, byteLimit) }

    mutating func takeGarbage() -> [DecoderOutput] {
        guard !garbage.isEmpty else { return [] }
        defer { garbage = [] }
        return garbage
    }

    mutating func setByteLimit(_ limit: Int) {
        byteLimit = limit
        while byteCount > byteLimit, dropFarthestFrame() {}
        while byteCount > byteLimit, let id = largestShare() { dropLaps(id) }
    }

    // MARK: Shares

    mutating func makeShare() -> Int {
        newest += 1
        shares[newest] = Share()
        return newest
    }

    mutating func removeShare(_ id: Int) {
        dropLaps(id)
        for frame in shares[id]?.frames ?? [] { discard(frame) }
        shares[id] = nil
    }

    private mutating func touch(_ id: Int) {
        uses += 1
        shares[id]?.lastUse = uses
    }

    // MARK: Laps

    /// What the share may have, where all others that keep laps want more.
    func fairPart(with id: Int) -> Int {
        let others = shares.count { $0.key != id && !$0.value.laps.isEmpty }
        return byteLimit / (others + 1)
    }

    /// The one whose laps take most; of equals the newest.
    private func largestShare(except id: Int? = nil, over limit: Int = 0) -> Int? {
        let shares = shares.filter { $0.key != id && $0.value.lapBytes > 0 && $0.value.claim > limit }
        return shares.max { ($0.value.claim, $0.key) < ($1.value.claim, $1.key) }?.key
    }

    mutating func beginLap(_ id: Int, _ track: Int, _ expected: Int) -> Bool {
        dropLap(id, track)
        guard byteLimit > 0, let share = shares[id], share.claim + max(0, expected) <= fairPart(with: id)
        else {
            return false
        }
        shares[id]?.laps[track] = Lap(expected: max(0, expected))
        return true
    }

    mutating func expect(_ bytes: Int, _ id: Int, _ track: Int) -> Bool {
        guard shares[id]?.laps[track] != nil else { return false }
        shares[id]?.laps[track]?.expected = max(0, bytes)
        guard shares[id]?.claim ?? 0 <= fairPart(with: id) else {
            dropLap(id, track)
            return false
        }
        return true
    }

    mutating func append(_ output: DecoderOutput, _ id: Int, _ track: Int) -> Bool {
        guard shares[id]?.laps[track] != nil else { return false }
        let size = output.byteCount
        guard makeRoom(size, forLapOf: id) else {
            dropLap(id, track)
            return false
        }
        shares[id]?.laps[track]?.outputs.append(output)
        shares[id]?.laps[track]?.byteCount += size
        byteCount += size
        return true
    }

    func output(_ index: Int, _ id: Int, _ track: Int) -> DecoderOutput? {
        guard let outputs = shares[id]?.laps[track]?.outputs, outputs.indices.contains(index) else {
            return nil
        }
        return outputs[index]
    }

    mutating func dropLap(_ id: Int, _ track: Int) {
        guard let lap = shares[id]?.laps.removeValue(forKey: track) else { return }
        byteCount -= lap.byteCount
        garbage += lap.outputs
    }

    private mutating func dropLaps(_ id: Int) {
        for track in Array(shares[id]?.laps.keys ?? [:].keys) { dropLap(id, track) }
    }

    /// Single frames leave first, then the laps of an item that has more than its fair part.
    private mutating func makeRoom(_ size: Int, forLapOf id: Int) -> Bool {
        let fair = fairPart(with: id)
        guard (shares[id]?.lapBytes ?? 0) + size <= fair else { return false }
        while byteCount + size > byteLimit {
            if dropFarthestFrame() { continue }
            guard let other = largestShare(except: id, over: fair) else { return false }
            dropLaps(other)
        }
        return true
    }

    // MARK: Single frames

    mutating func keep(_ frame: VideoFrame, _ id: Int, _ run: Int) {
        touch(id)
        guard frame.presentationTime.isNumeric else { return }
        let size = DecoderOutput.video(frame).byteCount
        guard size <= byteLimit, let distance = shares[id]?.distance(to: frame.presentationTime) else {
            return
        }
        while byteCount + size > byteLimit {
            // Of its own frames the farthest leaves, which may be the new one.
            guard dropFarthestFrame(of: id, ifFartherThan: distance) else { return }
        }
        let kept = KeptFrame(run: run, frame: frame, byteCount: size)
        if let index = shares[id]?.index(of: kept.time) { shares[id]?.frames.insert(kept, at: index) }
        byteCount += size
    }

    func frame(at time: MediaTime, _ id: Int, _ run: Int) -> VideoFrame? {
        guard let share = shares[id] else { return nil }
        for index in share.index(of: time)..<share.frames.count {
            let kept = share.frames[index]
            guard kept.time == time else { return nil }
            if kept.run == run { return kept.frame }
        }
        return nil
    }

    mutating func dropFrames(_ id: Int, _ run: Int) {
        guard let frames = shares[id]?.frames, frames.contains(where: { $0.run == run }) else { return }
        for frame in frames where frame.run == run { discard(frame) }
        shares[id]?.frames.removeAll { $0.run == run }
    }

    mutating func setPosition(_ time: MediaTime, _ id: Int) {
        touch(id)
        shares[id]?.position = time
    }

    private mutating func discard(_ frame: KeptFrame) {
        byteCount -= frame.byteCount
        garbage.append(.video(frame.frame))
    }

    /// Of the share that was used longest ago, the frame farthest from where that item stands. In the share
    /// `own` only one that is farther than `limit`. False: there is none.
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
