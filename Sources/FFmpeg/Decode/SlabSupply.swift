internal import CFFmpeg
internal import Glibc
internal import MediaCore

/// A supply of memory blocks of one size, which are cut from slabs and reused.
///
/// The oldest slab is used first, so that newer slabs become completely free when fewer frames are in use. A free slab
/// is returned to the system unless it is likely to be needed again soon.
final class SlabSupply: Sendable {
    private struct Contents {
        /// The slabs, oldest first.
        var slabs: [Slab] = []
        /// The number of free blocks in all slabs.
        var freeCount = 0
        var isClosed = false
    }

    private let pieceSize: Int
    /// A leaf lock: nothing is called or freed while it is held.
    private let contents = Locked(Contents())

    /// The number of free blocks that are kept: as many as a decoder and its queue release at a seek.
    static let maximumSpareCount = 24

    init(pieceSize: Int) { self.pieceSize = pieceSize }

    /// The address space that is in use, in bytes.
    var byteCount: Int { contents.withLock { $0.slabs.reduce(0) { $0 + $1.byteCount } } }

    /// Returns a buffer, or nil if the system provides no memory.
    func makeBuffer() -> UnsafeMutablePointer<AVBufferRef>? {
        guard let (slab, piece) = claimPiece() else { return nil }
        let retainedSlab = Unmanaged.passRetained(slab)
        let buffer = av_buffer_create(
            piece,
            pieceSize,
            { opaque, piece in
                guard let opaque, let piece else { return }
                let slab = Unmanaged<Slab>.fromOpaque(opaque).takeRetainedValue()
                slab.supply.returnPiece(piece, to: slab)
            },
            retainedSlab.toOpaque(),
            0
        )
        if buffer == nil {
            retainedSlab.release()
            returnPiece(piece, to: slab)
        }
        return buffer
    }

    /// Closes the supply. Blocks in use are returned to the system when they are released. It must be called, because
    /// the supply and its slabs retain each other until then.
    func close() {
        let slabs = contents.withLock { contents in
            defer { contents = Contents(isClosed: true) }
            return contents.slabs
        }
        _ = slabs
    }

    private func claimPiece() -> (slab: Slab, piece: UnsafeMutablePointer<UInt8>)? {
        contents.withLock { contents in
            if contents.freeCount == 0 {
                guard let slab = Slab(pieceSize, for: self) else { return nil }
                contents.slabs.append(slab)
                contents.freeCount += slab.pieceCount
            }
            guard let slab = contents.slabs.first(where: \.hasFreePiece), let piece = slab.popPiece() else {
                return nil
            }
            contents.freeCount -= 1
            return (slab, piece)
        }
    }

    private func returnPiece(_ piece: UnsafeMutablePointer<UInt8>, to slab: Slab) {
        let unused: Slab? = contents.withLock { contents in
            slab.returnPiece(piece)
            guard !contents.isClosed else { return nil }
            contents.freeCount += 1
            guard slab.isUnused, contents.freeCount - slab.pieceCount >= Self.maximumSpareCount else {
                return nil
            }
            contents.slabs.removeAll { $0 === slab }
            contents.freeCount -= slab.pieceCount
            return slab
        }
        // The slab is released outside of the lock.
        _ = unused
    }
}

/// A block of memory that several frames share.
///
/// `@unchecked Sendable`: its state is protected by the lock of its supply.
private final class Slab: @unchecked Sendable {
    let supply: SlabSupply
    let pieceCount: Int
    private let mapping: UnsafeMutableRawPointer
    let byteCount: Int
    /// The free blocks. The most recently used one comes last and is reused first, because it is likely to be resident.
    private var free: [UnsafeMutablePointer<UInt8>]

    private static let hugePageSize = 2 << 20
    private static let preferredSize = 16 << 20
    private static let maximumPieceCount = 16

    var hasFreePiece: Bool { !free.isEmpty }
    var isUnused: Bool { free.count == pieceCount }

    init?(_ pieceSize: Int, for supply: SlabSupply) {
        let count = max(1, min(Slab.maximumPieceCount, Slab.preferredSize / max(1, pieceSize)))
        let size = pieceSize * count
        let isLarge = size >= 2 * Slab.hugePageSize
        // The additional space allows alignment to a huge page. Memory that is never accessed costs nothing.
        let mappedSize = isLarge ? (size + 2 * Slab.hugePageSize - 1) & ~(Slab.hugePageSize - 1) : size
        let flags = MAP_PRIVATE | MAP_ANONYMOUS
        guard let mapping = mmap(nil, mappedSize, PROT_READ | PROT_WRITE, flags, -1, 0), mapping != MAP_FAILED
        else { return nil }
        var start = mapping
        if isLarge {
            let address = UInt(bitPattern: mapping)
            let aligned = (address + UInt(Slab.hugePageSize) - 1) & ~(UInt(Slab.hugePageSize) - 1)
            start = mapping + Int(aligned - address)
            // This is only advice: without huge pages decoding is slower but correct.
            _ = madvise(start, size, MADV_HUGEPAGE)
        }
        let base = start.assumingMemoryBound(to: UInt8.self)
        self.supply = supply
        pieceCount = count
        self.mapping = mapping
        byteCount = mappedSize
        free = (0..<count).reversed().map { base + $0 * pieceSize }
    }

    deinit { munmap(mapping, byteCount) }

    func popPiece() -> UnsafeMutablePointer<UInt8>? { free.popLast() }
    func returnPiece(_ piece: UnsafeMutablePointer<UInt8>) { free.append(piece) }
}
