/// A contiguous range of stored bytes and its checksum.
struct Extent: Hashable, Sendable {
    var start: Int64
    var count: Int
    var checksum: UInt64

    var end: Int64 { start + Int64(count) }

    /// The maximum size of an extent, which is read and written as a whole.
    static let byteLimit = 64 << 10
}

/// The stored ranges of a resource, sorted and without overlap.
struct Extents: Hashable, Sendable {
    private(set) var all: [Extent] = []
    private(set) var byteCount: Int64 = 0

    /// Returns the extent that contains the byte at `offset`.
    func extent(at offset: Int64) -> Extent? {
        let index = firstIndex(endingAfter: offset)
        guard index < all.count, all[index].start <= offset else { return nil }
        return all[index]
    }

    /// Returns the parts of the range that are not stored.
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

    /// Adds an extent. Returns false if it is empty or overlaps another one.
    @discardableResult
    mutating func insert(_ extent: Extent) -> Bool {
        guard extent.count > 0 else { return false }
        let index = firstIndex(endingAfter: extent.start)
        guard index == all.count || all[index].start >= extent.end else { return false }
        all.insert(extent, at: index)
        byteCount += Int64(extent.count)
        return true
    }

    /// Removes an extent. Returns false if there is no equal one.
    @discardableResult
    mutating func remove(_ extent: Extent) -> Bool {
        let index = firstIndex(endingAfter: extent.start)
        guard index < all.count, all[index] == extent else { return false }
        all.remove(at: index)
        byteCount -= Int64(extent.count)
        return true
    }

    /// Returns the offset of the first gap from `offset` on, or an offset at least `limit` bytes further.
    func contiguousEnd(from offset: Int64, limit: Int64) -> Int64 {
        var end = offset
        var index = firstIndex(endingAfter: offset)
        while end - offset < limit, index < all.count, all[index].start <= end {
            end = all[index].end
            index += 1
        }
        return end
    }

    /// Returns the offset of the first stored byte after the missing one at `offset`, or nil if there is none within
    /// `limit` bytes.
    func nextStored(after offset: Int64, limit: Int64) -> Int64? {
        var index = firstIndex(endingAfter: offset)
        // The byte may have been stored since the caller found it missing. Its extent does not come after it.
        if index < all.count, all[index].start <= offset { index += 1 }
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
