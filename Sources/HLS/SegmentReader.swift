internal import MediaCore
internal import PlayheadBackend

/// Reads and decrypts a resource, or a byte range of it, from its beginning to its end.
///
/// Confined to the lane of the demuxer that reads it.
final class SegmentReader {
    let resource: PlaylistResource
    let isMap: Bool
    private let source: any ByteSource
    private let cipher: (any BlockCipher)?
    /// The number of bytes read from the resource.
    private var offset: Int64 = 0
    /// The decrypted bytes that have not been read.
    private var plaintext: [UInt8] = []
    /// The bytes that have not been decrypted.
    private var ciphertext: [UInt8] = []
    /// The first bytes, until it is known whether they are an ID3 tag; then their unread rest.
    private var start: [UInt8] = []
    private var isStartParsed = false
    /// The timestamp of the ID3 tag before packed audio. See `TimestampTag`.
    private(set) var timestamp: Int64?
    private var isAtEnd = false

    init(_ resource: PlaylistResource, _ source: any ByteSource, isMap: Bool, cipher: (any BlockCipher)?) {
        self.resource = resource
        self.source = source
        self.isMap = isMap
        self.cipher = cipher
    }

    /// Whether bytes have been read.
    var hasBegun: Bool { offset > 0 }

    /// Whether three quarters have been read.
    var isNearEnd: Bool {
        guard let length = resource.range.map({ $0.upperBound - $0.lowerBound }) ?? source.byteCount else {
            return false
        }
        return offset >= length - length / 4
    }

    /// Reads decrypted bytes. Returns 0 at the end, or nil if no bytes are available. The context will be woken.
    func read(into buffer: UnsafeMutableRawBufferPointer, _ context: ReadContext) throws(MediaError) -> Int? {
        guard try readStart(context) else { return nil }
        guard !start.isEmpty else { return try readContent(into: buffer, context) }
        let part = start.prefix(buffer.count)
        buffer.copyBytes(from: part)
        let count = part.count
        start.removeFirst(count)
        return count
    }

    private func readStart(_ context: ReadContext) throws(MediaError) -> Bool {
        guard !isStartParsed else { return true }
        // The tag is not a part of the container.
        while let missing = TimestampTag.missing(of: start), missing > 0 {
            let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: missing, alignment: 1)
            defer { chunk.deallocate() }
            guard let count = try readContent(into: chunk, context) else { return false }
            guard count > 0 else { break }
            start += chunk.prefix(count)
        }
        isStartParsed = true
        if let tag = TimestampTag(start) {
            timestamp = tag.timestamp
            start.removeFirst(tag.byteCount)
        }
        return true
    }

    private func readContent(into buffer: UnsafeMutableRawBufferPointer, _ context: ReadContext)
        throws(MediaError) -> Int?
    {
        guard cipher != nil else { return try readRaw(into: buffer, context) }
        while plaintext.isEmpty, !isAtEnd { guard try decryptMore(context) else { return nil } }
        let part = plaintext.prefix(buffer.count)
        buffer.copyBytes(from: part)
        let count = part.count
        plaintext.removeFirst(count)
        return count
    }

    private func readRaw(into buffer: UnsafeMutableRawBufferPointer, _ context: ReadContext)
        throws(MediaError) -> Int?
    {
        var target = buffer
        if let range = resource.range {
            let left = range.upperBound - range.lowerBound - offset
            guard left > 0 else { return 0 }
            target = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(clamping: left)))
        }
        let start = (resource.range?.lowerBound ?? 0) + offset
        guard let count = try source.readIfAvailable(at: start, into: target, context: context) else {
            return nil
        }
        if count == 0, resource.range != nil {
            throw MediaError(.truncated, "the resource ends before its byte range")
        }
        offset += Int64(count)
        return count
    }

    private func decryptMore(_ context: ReadContext) throws(MediaError) -> Bool {
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
        defer { chunk.deallocate() }
        guard let count = try readRaw(into: chunk, context) else { return false }
        ciphertext += chunk.prefix(count)
        isAtEnd = count == 0
        // The last block contains the padding, so it is decrypted only at the end.
        let whole = isAtEnd ? ciphertext.count : max(0, (ciphertext.count - 1) / 16 * 16)
        guard whole % 16 == 0 else {
            throw MediaError(.encrypted, "decryption failed: the length is not a multiple of 16 bytes")
        }
        var blocks = Array(ciphertext.prefix(whole))
        ciphertext.removeFirst(whole)
        blocks.withUnsafeMutableBytes { cipher?.decrypt($0) }
        if isAtEnd, let padding = blocks.last {
            guard (1...16).contains(padding), blocks.suffix(Int(padding)).allSatisfy({ $0 == padding }) else {
                throw MediaError(.encrypted, "decryption failed: wrong key or damaged data")
            }
            blocks.removeLast(Int(padding))
        }
        plaintext += blocks
        return true
    }
}
