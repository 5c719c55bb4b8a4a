/// The ranges of a resource that a cache has stored.
///
/// `Extents` is the value. `CacheEntry` answers with its lock held, because another thread changes its extents.
protocol StoredExtents {
    /// Returns the offset of the first gap from `offset` on, or an offset at least `limit` bytes further.
    func contiguousEnd(from offset: Int64, limit: Int64) -> Int64
    /// Returns the offset of the first stored byte after the missing one at `offset`, or nil if there is none within
    /// `limit` bytes. The result is greater than `offset`, also if that byte has been stored meanwhile.
    func nextStored(after offset: Int64, limit: Int64) -> Int64?
}

extension Extents: StoredExtents {}
