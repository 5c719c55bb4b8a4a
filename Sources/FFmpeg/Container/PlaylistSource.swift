internal import HLS
internal import MediaCore

/// The bytes of a local playlist with an end tag appended. Without it, libav would treat a playlist that is still being
/// written as a live stream, block until it grows, and report no duration.
final class PlaylistSource: ByteSource {
    let text: PlaylistText
    let fileByteCount: Int64
    private let bytes: [UInt8]
    var byteCount: Int64? { Int64(bytes.count) }
    var isSeekable: Bool { true }

    /// Creates a source. Returns nil if the file is not a playlist or is too large for one.
    init?(_ file: SourceReader) throws(MediaError) {
        guard let size = file.source.byteCount, size <= PlaylistText.byteLimit,
            FormatPolicy.startsPlaylist(try Self.read(file, upTo: 16))
        else { return nil }
        let read = try Self.read(file, upTo: Int(size))
        fileByteCount = size
        text = PlaylistText(String(decoding: read, as: UTF8.self))
        bytes = read + Array("\n#EXT-X-ENDLIST\n".utf8)
    }

    private static func read(_ file: SourceReader, upTo count: Int) throws(MediaError) -> [UInt8] {
        var result: [UInt8] = []
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, count), alignment: 1)
        defer { chunk.deallocate() }
        while result.count < count {
            let wanted = UnsafeMutableRawBufferPointer(rebasing: chunk.prefix(count - result.count))
            let got = try file.read(at: Int64(result.count), into: wanted)
            guard got > 0 else { break }
            result += wanted.prefix(got)
        }
        return result
    }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        guard offset >= 0, offset < Int64(bytes.count) else { return 0 }
        let part = bytes[Int(offset)...].prefix(buffer.count)
        buffer.copyBytes(from: part)
        return part.count
    }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, context: ReadContext)
        throws(MediaError) -> Int
    {
        try read(at: offset, into: buffer)
    }

    func cancel() {}
}
