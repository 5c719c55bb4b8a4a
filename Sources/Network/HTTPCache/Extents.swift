/// A stretch of bytes that is there, and what they must add up to.
struct Extent: Hashable, Sendable {
    var start: Int64
    var count: Int
    var checksum: UInt64

    var end: Int64 { start + Int64(count) }
    var range: Range<Int64> { start..<end }

    /// As one stretch is read and written.
    static let byteLimit = 64 << 10
}

/// Which stretches of a resource are there: sorted, and none overlaps another.
struct Extents: Hashable, Sendable {
    private(set) var all: [Extent] = []
    private(set) var byteCount: Int64 = 0

    /// The one that holds the byte at `offset`.
    func extent(at offset: Int64) -> Extent? {
        let index = firstIndex(endingAfter: offset)
        guard index < all.count, all[index].start <= offset else { return nil }
        return all[index]
    }

    /// What of the range is not there.
    func missing(in range: Range<Int64>) -> [Range<Int64>] {
        var gaps: [Range<Int64>] = []
        var offset = range.lowerBound
        var index = firstIndex(endingAfter: offset)
        while offset < range.upperBound, index < all.count, all[index].start < range.upperBound {
            if all[index].start > offset { gaps.append(offset..<all[index].start) }
            offset = all[index].end
            index += 1
        }
        if offset < range.upperBound { gaps.append(offset..<range.upperBound) }
        return gaps
    }

    /// False: it overlaps what is there, or is nothing, and is left out.
    @discardableResult
    mutating func insert(_ extent: Extent) -> Bool {
        guard extent.count > 0 else { return false }
        let index = firstIndex(endingAfter: extent.start)
        guard index == all.count || all[index].start >= extent.end else { return false }
        all.insert(extent, at: index)
        byteCount += Int64(extent.count)
        return true
    }

    /// Only what is exactly this one.
    @discardableResult
    mutating func remove(_ extent: Extent) -> Bool {
        let index = firstIndex(endingAfter: extent.start)
        guard index < all.count, all[index] == extent else { return false }
        all.remove(at: index)
        byteCount -= Int64(extent.count)
        return true
    }

    /// Where the first gap from `offset` on begins, or a place at least `limit` bytes on.
    func contiguousEnd(from offset: Int64, limit: Int64) -> Int64 {
        var end = offset
        var index = firstIndex(endingAfter: offset)
        while end - offset < limit, index < all.count, all[index].start <= end {
            end = all[index].end
            index += 1
        }
        return end
    }

    /// The first byte behind `offset`, which is missing, that is there; nil for none within `limit` bytes.
    func nextStored(after offset: Int64, limit: Int64) -> Int64? {
        let index = firstIndex(endingAfter: offset)
        guard index < all.count, all[index].start - offset <= limit else { return nil }
        return all[index].start
    }

    private func firstIndex(endingAfter offset: Int64) -> Int {
        var (low, high) = (0, all.count)
        while low < high {
            let middle = (low + high) / 2
            if all[middle].end > offset { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
