internal import MediaCore
internal import PlayheadBackend

/// A resource, or a part of one, that is read from its beginning to its end and decrypted.
///
/// Confined to the lane of the demuxer that reads it.
final class SegmentReader {
    let resource: PlaylistResource
    let isMap: Bool
    private let source: any ByteSource
    private let cipher: (any BlockCipher)?
    /// Bytes of the resource that were read.
    private var offset: Int64 = 0
    /// Decrypted and not handed out, then what is still to be decrypted.
    private var plaintext: [UInt8] = []
    private var ciphertext: [UInt8] = []
    /// What the segment begins with, until it is known whether that is a tag, and what is left of it.
    private var start: [UInt8] = []
    private var isStartParsed = false
    /// From the tag before packed audio; see `TimestampTag`.
    private(set) var timestamp: Int64?
    private var isAtEnd = false

    init(_ resource: PlaylistResource, _ source: any ByteSource, isMap: Bool, cipher: (any BlockCipher)?) {
        self.resource = resource
        self.source = source
        self.isMap = isMap
        self.cipher = cipher
    }

    var hasBegun: Bool { offset > 0 }

    /// Most of it has been read.
    var isNearEnd: Bool {
        guard let length = resource.range.map({ $0.upperBound - $0.lowerBound }) ?? source.byteCount else {
            return false
        }
        return offset >= length - length / 4
    }

    /// 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer, _ context: ReadContext) throws(MediaError) -> Int {
        try readStart(context)
        guard !start.isEmpty else { return try readContent(into: buffer, context) }
        let part = start.prefix(buffer.count)
        buffer.copyBytes(from: part)
        let count = part.count
        start.removeFirst(count)
        return count
    }

    private func readStart(_ context: ReadContext) throws(MediaError) {
        guard !isStartParsed else { return }
        // The tag is none of the container's business.
        while let missing = TimestampTag.missing(of: start), missing > 0 {
            let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: missing, alignment: 1)
            defer { chunk.deallocate() }
            let count = try readContent(into: chunk, context)
            guard count > 0 else { break }
            start += chunk.prefix(count)
        }
        isStartParsed = true
        if let tag = TimestampTag(start) {
            timestamp = tag.timestamp
            start.removeFirst(tag.byteCount)
        }
    }

    private func readContent(into buffer: UnsafeMutableRawBufferPointer, _ context: ReadContext)
        throws(MediaError) -> Int
    {
        guard cipher != nil else { return try readRaw(into: buffer, context) }
        while plaintext.isEmpty, !isAtEnd { try decryptMore(context) }
        let part = plaintext.prefix(buffer.count)
        buffer.copyBytes(from: part)
        let count = part.count
        plaintext.removeFirst(count)
        return count
    }

    private func readRaw(into buffer: UnsafeMutableRawBufferPointer, _ context: ReadContext)
        throws(MediaError) -> Int
    {
        var target = buffer
        if let range = resource.range {
            let left = range.upperBound - range.lowerBound - offset
            guard left > 0 else { return 0 }
            target = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(clamping: left)))
        }
        let count = try source.read(
            at: (resource.range?.lowerBound ?? 0) + offset,
            into: target,
            context: context
        )
        if count == 0, resource.range != nil {
            throw MediaError(.truncated, "it ends before its byte range does")
        }
        offset += Int64(count)
        return count
    }

    private func decryptMore(_ context: ReadContext) throws(MediaError) {
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
        defer { chunk.deallocate() }
        let count = try readRaw(into: chunk, context)
        ciphertext += chunk.prefix(count)
        isAtEnd = count == 0
        // The last block says how much of it is filling.
        let whole = isAtEnd ? ciphertext.count : max(0, (ciphertext.count - 1) / 16 * 16)
        guard whole % 16 == 0 else {
            throw MediaError(.encrypted, "it cannot be decrypted: it is no whole number of blocks")
        }
        var blocks = Array(ciphertext.prefix(whole))
        ciphertext.removeFirst(whole)
        blocks.withUnsafeMutableBytes { cipher?.decrypt($0) }
        if isAtEnd, let padding = blocks.last {
            guard (1...16).contains(padding), blocks.suffix(Int(padding)).allSatisfy({ $0 == padding }) else {
                throw MediaError(.encrypted, "it cannot be decrypted: the key is not the right one")
            }
            blocks.removeLast(Int(padding))
        }
        plaintext += blocks
    }
}
