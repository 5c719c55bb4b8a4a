/// What is known of a resource that is kept on disk, as its index file says it.
struct CacheIndex: Hashable, Sendable {
    /// What makes the resource this very one: bytes of another are never mixed with it.
    struct Identity: Hashable, Sendable {
        var byteCount: Int64
        var entityTag: String?
        var lastModified: String?

        /// nil where nothing would say that the resource has changed, or the server's words cannot be sent back to it.
        init?(byteCount: Int64?, entityTag: String?, lastModified: String?) {
            guard let byteCount, byteCount > 0, entityTag != nil || lastModified != nil else { return nil }
            for text in [entityTag, lastModified] {
                guard let text else { continue }
                let isPlain = text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
                guard isPlain, text.utf8.count <= Self.textLimit else { return nil }
            }
            self.byteCount = byteCount
            self.entityTag = entityTag
            self.lastModified = lastModified
        }

        static let textLimit = 4096
    }

    /// The key's digest.
    var key: [UInt8]
    /// Names the file with the bytes: each state of a resource has one of its own.
    var generation: UInt64
    var identity: Identity
    var supportsRanges: Bool
    /// Its URL led to a public address.
    var isPublic = false
    /// Where the server led to; nil: nowhere else. What the resource names is relative to it.
    var location: String?
    var extents = Extents()

    private static let signature = Array("playhead cache 2".utf8)

    func encoded() -> [UInt8] {
        var bytes = Self.signature
        bytes += key
        Self.append(generation, to: &bytes)
        Self.append(UInt64(identity.byteCount), to: &bytes)
        Self.append((supportsRanges ? 1 : 0) + (isPublic ? 2 : 0), to: &bytes)
        for text in [identity.entityTag, identity.lastModified, location] {
            let characters = text.map { Array($0.utf8) }
            Self.append(characters.map { UInt64($0.count) } ?? .max, to: &bytes)
            bytes += characters ?? []
        }
        Self.append(UInt64(extents.all.count), to: &bytes)
        bytes.reserveCapacity(bytes.count + extents.all.count * 24 + 8)
        for extent in extents.all {
            Self.append(UInt64(extent.start), to: &bytes)
            Self.append(UInt64(extent.count), to: &bytes)
            Self.append(extent.checksum, to: &bytes)
        }
        Self.append(bytes.withUnsafeBytes { Checksum.of($0, seed: 0) }, to: &bytes)
        return bytes
    }

    private static func append(_ value: UInt64, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
    }

    /// nil for what is no whole index: nothing of it is believed then.
    init?(_ bytes: [UInt8], key: [UInt8]) {
        guard bytes.count > 8 else { return nil }
        let sum = bytes.withUnsafeBytes {
            Checksum.of(UnsafeRawBufferPointer(rebasing: $0.dropLast(8)), seed: 0)
        }
        var reader = Reader(rest: bytes[(bytes.count - 8)...])
        guard reader.number() == sum else { return nil }
        reader = Reader(rest: bytes[..<(bytes.count - 8)])
        guard reader.bytes(Self.signature.count).map(Array.init) == Self.signature,
            reader.bytes(key.count).map(Array.init) == key, let generation = reader.number(),
            let byteCount = reader.count(below: ResponseHead.lengthLimit), let flags = reader.number(),
            let entityTag = reader.text(), let lastModified = reader.text(),
            let location = reader.text(upTo: Self.locationLimit),
            let identity = Identity(
                byteCount: byteCount,
                entityTag: entityTag,
                lastModified: lastModified
            ), let extentCount = reader.count(below: Int64(bytes.count))
        else { return nil }
        self.key = key
        self.generation = generation
        self.identity = identity
        supportsRanges = flags & 1 != 0
        isPublic = flags & 2 != 0
        self.location = location
        for _ in 0..<extentCount {
            guard let start = reader.count(below: byteCount),
                let count = reader.count(below: Int64(Extent.byteLimit) + 1),
                let checksum = reader.number(), start + count <= byteCount,
                extents.insert(Extent(start: start, count: Int(count), checksum: checksum))
            else { return nil }
        }
    }

    init(
        key: [UInt8],
        generation: UInt64,
        identity: Identity,
        supportsRanges: Bool,
        isPublic: Bool = false,
        location: String? = nil
    ) {
        self.key = key
        self.generation = generation
        self.identity = identity
        self.supportsRanges = supportsRanges
        self.isPublic = isPublic
        self.location = location
    }

    /// In bytes; a longer one is not kept.
    static let locationLimit = ResponseHead.byteLimit

    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
            guard rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }

        mutating func number() -> UInt64? {
            bytes(8)?.reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        }

        mutating func count(below limit: Int64) -> Int64? {
            number().flatMap { $0 < UInt64(limit) ? Int64($0) : nil }
        }

        /// nil inside: there is none.
        mutating func text(upTo limit: Int = Identity.textLimit) -> String?? {
            guard let count = number() else { return nil }
            guard count != .max else { return .some(nil) }
            guard count <= UInt64(limit), let bytes = bytes(Int(count)) else { return nil }
            return String(decoding: bytes, as: UTF8.self)
        }
    }
}
