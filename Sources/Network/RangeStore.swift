/// Received bytes of one resource in memory, in blocks. Evicts the least recently used block if there are too many.
///
/// Not thread safe: the owner's lock guards it.
struct RangeStore {
    private final class Block {
        let bytes: UnsafeMutableRawPointer
        /// The filled part of the block. It has no gaps.
        var filled: Range<Int>
        var lastUse: UInt64 = 0

        init() {
            bytes = .allocate(byteCount: RangeStore.blockSize, alignment: 16)
            filled = 0..<0
            NetworkMemory.shared.adjust(by: RangeStore.blockSize)
        }

        deinit {
            bytes.deallocate()
            NetworkMemory.shared.adjust(by: -RangeStore.blockSize)
        }
    }

    static let blockSize = 64 << 10
    private let blockLimit: Int
    private var blocks: [Int64: Block] = [:]
    private var uses: UInt64 = 0

    /// Creates a store that holds at most `byteLimit` bytes besides protected blocks.
    init(byteLimit: Int) { blockLimit = max(1, byteLimit / RangeStore.blockSize) }

    /// Adds bytes. `isProtected` returns true for the offset of a block that must not be evicted.
    mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64, isProtected: (Int64) -> Bool) {
        var offset = offset
        var rest = bytes[...]
        while !rest.isEmpty {
            let (index, start) = Self.location(offset)
            let count = min(rest.count, Self.blockSize - start)
            let block = block(index, isProtected)
            UnsafeMutableRawBufferPointer(start: block.bytes + start, count: count)
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: rest.prefix(count)))
            let new = start..<start + count
            let adjoins =
                new.lowerBound <= block.filled.upperBound && block.filled.lowerBound <= new.upperBound
            // A part that does not adjoin replaces the old one, because a block has a single filled part.
            block.filled =
                adjoins && !block.filled.isEmpty
                ? min(new.lowerBound, block.filled.lowerBound)..<max(new.upperBound, block.filled.upperBound)
                : new
            rest = rest.dropFirst(count)
            offset += Int64(count)
        }
    }

    /// Adds bytes. Blocks that overlap a range are not evicted.
    mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64, keeping ranges: [Range<Int64>]) {
        write(bytes, at: offset) { Self.overlaps($0, ranges) }
    }

    private static func overlaps(_ block: Int64, _ ranges: [Range<Int64>]) -> Bool {
        ranges.contains { $0.overlaps(block..<block + Int64(blockSize)) }
    }

    /// Copies the bytes from `offset` up to the first gap. Returns 0 if the first byte is missing.
    mutating func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var count = 0
        uses += 1
        while count < buffer.count {
            let (index, start) = Self.location(offset + Int64(count))
            guard let block = blocks[index], block.filled.contains(start) else { break }
            block.lastUse = uses
            let part = min(buffer.count - count, block.filled.upperBound - start)
            UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
                .copyMemory(from: UnsafeRawBufferPointer(start: block.bytes + start, count: part))
            count += part
        }
        return count
    }

    /// Returns the offset of the first missing byte from `offset` on. Searches at most `limit` bytes.
    func contiguousEnd(from offset: Int64, limit: Int64) -> Int64 {
        var end = offset
        while end - offset < limit {
            let (index, start) = Self.location(end)
            guard let block = blocks[index], block.filled.contains(start) else { break }
            end += Int64(block.filled.upperBound - start)
        }
        return end
    }

    /// Returns the offset of the first stored byte after the missing one at `offset`, or nil if there is none within
    /// `limit` bytes.
    func nextStored(after offset: Int64, limit: Int64) -> Int64? {
        var (index, start) = Self.location(offset)
        let last = Self.location(offset + limit).index
        while index <= last {
            if let block = blocks[index],
                block.filled.lowerBound > start || start == 0 && block.filled.contains(0)
            {
                return index * Int64(Self.blockSize) + Int64(block.filled.lowerBound)
            }
            index += 1
            start = 0
        }
        return nil
    }

    /// The memory that the blocks use.
    var byteCount: Int { blocks.count * Self.blockSize }

    /// Evicts the least recently used blocks that are not protected, down to a limit.
    mutating func trim(to byteLimit: Int, isProtected: (Int64) -> Bool) {
        let free = blocks.filter { !isProtected($0.key * Int64(Self.blockSize)) }
            .sorted { $0.value.lastUse < $1.value.lastUse }
        for block in free where byteCount > byteLimit { blocks[block.key] = nil }
    }

    /// Evicts the least recently used blocks that overlap none of the ranges, down to a limit.
    mutating func trim(to byteLimit: Int, keeping ranges: [Range<Int64>]) {
        trim(to: byteLimit) { Self.overlaps($0, ranges) }
    }

    private mutating func block(_ index: Int64, _ isProtected: (Int64) -> Bool) -> Block {
        uses += 1
        if let known = blocks[index] {
            known.lastUse = uses
            return known
        }
        if blocks.count >= blockLimit {
            let free = blocks.filter { !isProtected($0.key * Int64(Self.blockSize)) }
            if let oldest = free.min(by: { $0.value.lastUse < $1.value.lastUse }) { blocks[oldest.key] = nil }
        }
        let block = Block()
        block.lastUse = uses
        blocks[index] = block
        return block
    }

    private static func location(_ offset: Int64) -> (index: Int64, start: Int) {
        (offset / Int64(blockSize), Int(offset % Int64(blockSize)))
    }
}
