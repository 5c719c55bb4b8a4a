import CFFmpeg
import Testing

@testable import FFmpeg

@Suite("Extradata of the sample descriptions of MP4")
struct ExtradataMemoryTests {
    private static let container = "mov,mp4,m4a,3gp,3g2,mj2"

    /// Returns the extradata of packets to which libav attaches some, as in a stream whose own is 1.
    private func result(
        _ attached: [UInt8?],
        formatName: String = ExtradataMemoryTests.container
    ) throws -> [[UInt8]?] {
        let context = try #require(avformat_alloc_context())
        defer { avformat_free_context(context) }
        let stream = try #require(avformat_new_stream(context, nil))
        // libav frees the bytes together with the stream.
        let bytes = try #require(av_mallocz(1 + Int(AV_INPUT_BUFFER_PADDING_SIZE)))
        bytes.storeBytes(of: 1, as: UInt8.self)
        stream.pointee.codecpar.pointee.extradata = bytes.assumingMemoryBound(to: UInt8.self)
        stream.pointee.codecpar.pointee.extradata_size = 1
        var memory = ExtradataMemory()
        return try attached.map { byte in
            let packet = try PacketOwner()
            if let byte { packet.attach([byte], as: AV_PKT_DATA_NEW_EXTRADATA) }
            memory.update(packet, stream, formatName: formatName)
            return packet.extradata
        }
    }

    @Test("A packet has the extradata of the last change, and none if it is that of the stream")
    func changes() throws {
        #expect(try result([nil, 2, nil, nil, 3, nil, 1, nil]) == [nil, [2], [2], [2], [3], [3], nil, nil])
        #expect(try result([1, nil]) == [nil, nil])
    }

    @Test("Containers that attach extradata again only where they contain it are not affected")
    func otherContainers() throws {
        #expect(try result([nil, 2, nil], formatName: "flv") == [nil, nil, nil])
    }
}
