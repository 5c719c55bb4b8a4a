import CFFmpeg
import Testing

@testable import FFmpeg

@Suite("Extradata that changes within a file")
struct ExtradataMemoryTests {
    /// A packet as libav delivers it: its position, and the extradata that is attached to it.
    private struct Input {
        var position: Int64
        var attached: UInt8?

        init(_ position: Int64, _ attached: UInt8? = nil) {
            self.position = position
            self.attached = attached
        }
    }

    /// Returns the extradata of packets of a stream whose own is 1.
    private func result(_ inputs: [Input], formatName: String) throws -> [[UInt8]?] {
        let context = try #require(avformat_alloc_context())
        defer { avformat_free_context(context) }
        let stream = try #require(avformat_new_stream(context, nil))
        // libav frees the bytes together with the stream.
        let bytes = try #require(av_mallocz(1 + Int(AV_INPUT_BUFFER_PADDING_SIZE)))
        bytes.storeBytes(of: 1, as: UInt8.self)
        stream.pointee.codecpar.pointee.extradata = bytes.assumingMemoryBound(to: UInt8.self)
        stream.pointee.codecpar.pointee.extradata_size = 1
        var memory = ExtradataMemory()
        var result: [[UInt8]?] = []
        for input in inputs {
            let packet = try PacketOwner()
            packet.pointer.pointee.pos = input.position
            if let attached = input.attached { packet.attach([attached], as: AV_PKT_DATA_NEW_EXTRADATA) }
            memory.update(packet, stream, formatName: formatName)
            result.append(packet.extradata)
        }
        return result
    }

    @Test("In MP4, whose packets may be in any order, that of the last change applies also after a seek")
    func sampleDescriptions() throws {
        let inputs = [
            Input(100), Input(300, 2), Input(200), Input(500, 3), Input(300, 2), Input(50, 1), Input(600),
        ]
        let expected: [[UInt8]?] = [nil, [2], [2], [3], [2], nil, nil]
        #expect(try result(inputs, formatName: "mov,mp4,m4a,3gp,3g2,mj2") == expected)
    }

    @Test("In FLV, a packet has that of the last sequence header before it, also after a seek")
    func sequenceHeaders() throws {
        let inputs = [
            Input(100), Input(200, 2), Input(300), Input(400, 3), Input(500, 3), Input(100), Input(300),
            Input(600, 1), Input(700), Input(450),
        ]
        let expected: [[UInt8]?] = [nil, [2], [2], [3], [3], nil, [2], nil, nil, [3]]
        #expect(try result(inputs, formatName: "flv") == expected)
    }

    @Test("Other containers are not affected")
    func otherContainers() throws {
        #expect(try result([Input(0), Input(1, 2), Input(2)], formatName: "ogg") == [nil, nil, nil])
    }
}
