import MediaCore

@testable import Network

extension FuzzTarget {
    /// The heads of the responses to range requests, each of which ends with an empty line. libcurl receives the bodies.
    static let response = FuzzTarget("response", maximumLength: 8192) { input in
        do throws(MediaError) {
            var exchange = try ResponseExchange()
            return exchange.run(String(decoding: input, as: UTF8.self))
        } catch {
            return "the exchange did not begin: \(error.message)"
        }
    }

    /// The index file of a cached resource, whose checksum is right: the index of a damaged one is ignored.
    static let cache = FuzzTarget("cache", maximumLength: 8192) { input in
        let sum = input.withUnsafeBytes { Checksum.of($0, seed: 0) }
        let index = input + withUnsafeBytes(of: sum.littleEndian) { Array($0) }
        // The key follows the 16 bytes of the signature.
        let key = Array(input.dropFirst(16).prefix(32))
        let folder = CacheFolder(
            "/cache",
            byteLimit: 1 << 20,
            files: InputCacheFiles(index: index),
            writer: CacheWriter(),
            clock: ManualClock()
        )
        guard let entry = CacheEntry.open(folder, key) else { return nil }
        if let decoded = CacheIndex(index, key: key), CacheIndex(decoded.encoded(), key: key) != decoded {
            return "an index that cannot be written again"
        }
        let end = entry.contiguousEnd(from: 0, limit: 1 << 20)
        guard (0...entry.identity.byteCount).contains(end) else { return "bytes after the end" }
        for offset in [0, entry.nextStored(after: 0, limit: .max) ?? 1, entry.identity.byteCount - 1] {
            if let (start, bytes) = entry.read(at: offset),
                !(start..<start + Int64(bytes.count)).contains(offset)
            {
                return "an extent that does not contain its offset"
            }
        }
        return nil
    }
}
