/// The content of an index file: what is known about a cached resource.
struct CacheIndex: Hashable, Sendable {
    /// The identity of a representation. Bytes of different representations are never mixed.
    struct Identity: Hashable, Sendable {
        var byteCount: Int64
        var entityTag: String?
        var lastModified: String?

        /// Creates an identity. Returns nil if the length or a validator is missing, or if a validator cannot be sent
        /// back to the server.
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

    /// The digest of the cache key.
    var key: [UInt8]
    /// The random number in the name of the data file. Each representation has its own file.
    var generation: UInt64
    var identity: Identity
    var supportsRanges: Bool
    /// Whether the URL led to a public address.
    var isPublic = false
    /// The target of the redirects, or nil if there were none. It is the base of relative references.
    var location: String?
    var extents = Extents()

    private static let signature = Array("playhead cache 2".utf8)

    /// Returns the bytes of the index file, which end with their checksum.
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

    /// Decodes an index. Returns nil if it is incomplete or damaged.
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

    /// The maximum size of `location` in bytes. A resource with a longer one is not cached.
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

        /// Returns a string, or an inner nil if the index has none.
        mutating func text(upTo limit: Int = Identity.textLimit) -> String?? {
            guard let count = number() else { return nil }
            guard count != .max else { return .some(nil) }
            guard count <= UInt64(limit), let bytes = bytes(Int(count)) else { return nil }
            return String(decoding: bytes, as: UTF8.self)
        }
    }
}
