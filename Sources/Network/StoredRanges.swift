internal import MediaCore

/// The bytes of a resource that are in memory or in the disk cache.
struct StoredRanges {
    let memory: RangeStore
    var disk: (any StoredExtents)?

    /// Returns the offset of the first missing byte from `offset` on, or an offset at least `limit` bytes further.
    func contiguousEnd(from offset: Int64, limit: Int64) -> Int64 {
        var end = offset
        while end - offset < limit {
            let rest = limit - (end - offset)
            var next = memory.contiguousEnd(from: end, limit: rest)
            if let disk { next = max(next, disk.contiguousEnd(from: end, limit: rest)) }
            if next == end { break }
            end = next
        }
        return end
    }

    /// Returns the offset of the first stored byte after the missing one at `offset`, or nil if there is none within
    /// `limit` bytes.
    func nextStored(after offset: Int64, limit: Int64) -> Int64? {
        let inMemory = memory.nextStored(after: offset, limit: limit)
        guard let onDisk = disk?.nextStored(after: offset, limit: limit) else { return inMemory }
        return min(inMemory ?? onDisk, onDisk)
    }

    /// Returns the number of bytes of a range that are not stored. Searches `step` bytes at a time.
    func missingByteCount(from start: Int64, to end: Int64, step: Int64) -> Int64 {
        var offset = start
        var missing: Int64 = 0
        while offset < end {
            let storedEnd = contiguousEnd(from: offset, limit: step)
            if storedEnd > offset {
                offset = storedEnd
                continue
            }
            guard let next = nextStored(after: offset, limit: Self.maximumGap), next < end else {
                return missing + end - offset
            }
            missing += next - offset
            offset = next
        }
        return missing
    }

    /// Stored bytes after a gap of more than this size are counted as missing. They belong to another part of the
    /// resource.
    private static let maximumGap: Int64 = 64 << 20
}
