import MediaCore
import TestSupport
import Testing

@testable import Network

@Suite("Cache files")
struct CacheCoreTests {
    @Test(
        "Checksums are XXH64",
        arguments: [
            ("", 0xEF46_DB37_51D8_E999), ("a", 0xD24E_C4F1_A98C_6E5B), ("abc", 0x44BC_2CF5_AD77_0999),
            ("Nobody inspects the spammish repetition", 0xFBCE_A83C_8A37_8BF1),
        ] as [(String, UInt64)]
    )
    func checksum(text: String, sum: UInt64) {
        #expect(Array(text.utf8).withUnsafeBytes { Checksum.of($0, seed: 0) } == sum)
    }

    @Test("A flipped bit or another offset changes the checksum")
    func flippedBits() {
        var bytes = ServedFile.bytes(1000)
        let sum = { (bytes: [UInt8], seed: UInt64) in bytes.withUnsafeBytes { Checksum.of($0, seed: seed) } }
        let right = sum(bytes, 5)
        #expect(sum(bytes, 6) != right)
        for bit in 0..<8000 {
            bytes[bit / 8] ^= 1 << (bit % 8)
            #expect(sum(bytes, 5) != right, "bit \(bit)")
            bytes[bit / 8] ^= 1 << (bit % 8)
        }
    }

    @Test(
        "File names are SHA-256 digests",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ]
    )
    func digest(text: String, name: String) {
        let digits = SHA256.digest(of: text).map { String(UInt16($0) + 256, radix: 16).dropFirst() }
        #expect(digits.joined() == name)
    }

    @Test("Extents behave like a list of single bytes", arguments: [1, 2, 3] as [UInt64])
    func extents(seed: UInt64) {
        var random = SplitMix64(seed)
        var extents = Extents()
        var bytes = [Bool](repeating: false, count: 400)
        for _ in 0..<2000 {
            let start = Int.random(in: 0..<390, using: &random)
            let range = start..<min(400, start + Int.random(in: 0...12, using: &random))
            if Bool.random(using: &random) {
                let extent = Extent(start: Int64(start), count: range.count, checksum: 0)
                let isFree = !range.isEmpty && !bytes[range].contains(true)
                let isInserted = extents.insert(extent)
                #expect(isInserted == isFree, "seed \(seed)")
                if isFree { for index in range { bytes[index] = true } }
            } else if let extent = extents.extent(at: Int64(start)) {
                #expect(bytes[start])
                let isRemoved = extents.remove(extent)
                #expect(isRemoved)
                for index in Int(extent.start)..<Int(extent.end) { bytes[index] = false }
            } else {
                #expect(!bytes[start])
            }
            let place = Int.random(in: 0..<400, using: &random)
            let end = bytes[place...].firstIndex(of: false) ?? 400
            let found = extents.contiguousEnd(from: Int64(place), limit: 20)
            #expect(found == Int64(end) || found >= place + 20 && found < end, "seed \(seed)")
            if end == place {
                let next = bytes[place...].firstIndex(of: true).flatMap { $0 - place <= 30 ? Int64($0) : nil }
                #expect(extents.nextStored(after: Int64(place), limit: 30) == next, "seed \(seed)")
            } else if let next = extents.nextStored(after: Int64(place), limit: 30) {
                // Another thread may have stored the byte since it was found missing.
                #expect(next > Int64(place), "seed \(seed)")
            }
            let missing = extents.missing(in: Int64(range.lowerBound)..<Int64(range.upperBound))
            let gaps = missing.flatMap { Array($0) }
            #expect(gaps == range.filter { !bytes[$0] }.map { Int64($0) }, "seed \(seed)")
            #expect(extents.byteCount == bytes.count(where: { $0 }))
        }
    }

    private func index() throws -> CacheIndex {
        let identity = try #require(
            CacheIndex.Identity(byteCount: 500_000, entityTag: "\"tag\"", lastModified: "yesterday")
        )
        let key = SHA256.digest(of: "key")
        var index = CacheIndex(key: key, generation: 7, identity: identity, supportsRanges: true)
        for place in [0, 65_536, 300_000] as [Int64] {
            index.extents.insert(Extent(start: place, count: 65_536, checksum: UInt64(place)))
        }
        return index
    }

    @Test("An index is decoded as it was encoded, and rejected if a bit is flipped or it is truncated")
    func indexFile() throws {
        let index = try index()
        var bytes = index.encoded()
        #expect(CacheIndex(bytes, key: index.key) == index)
        #expect(CacheIndex(bytes, key: SHA256.digest(of: "other")) == nil)
        for bit in 0..<bytes.count * 8 {
            bytes[bit / 8] ^= 1 << (bit % 8)
            #expect(CacheIndex(bytes, key: index.key) == nil, "bit \(bit)")
            bytes[bit / 8] ^= 1 << (bit % 8)
        }
        for count in 0..<bytes.count {
            #expect(CacheIndex(Array(bytes.prefix(count)), key: index.key) == nil)
        }
    }

    @Test("A resource without a validator has no identity")
    func identity() {
        #expect(CacheIndex.Identity(byteCount: 5, entityTag: nil, lastModified: nil) == nil)
        #expect(CacheIndex.Identity(byteCount: nil, entityTag: "1", lastModified: nil) == nil)
        #expect(CacheIndex.Identity(byteCount: 5, entityTag: "1\r\nX: 2", lastModified: nil) == nil)
        #expect(CacheIndex.Identity(byteCount: 5, entityTag: nil, lastModified: "x") != nil)
    }
}
