import CFFmpeg
import MediaCore
import PlayheadBackend
import Synchronization
import Testing

@testable import FFmpeg

/// An MP4 file of ALAC with eight packets of a second. The last four have another sample description. The first read
/// in the middle of the fifth packet is interrupted.
private final class InterruptedMovie: ByteSource {
    private static let packetSize = 32 << 10
    /// The number of packets of a sample description.
    private static let half = 4
    /// The offset of the first packet, after the `ftyp` box and the header of the `mdat` box.
    private static let mediaOffset = 28
    private static let interruptedOffset = Int64(mediaOffset + packetSize * half + packetSize / 2)

    private let bytes: [UInt8]
    private let wasInterrupted = Atomic<Bool>(false)
    var byteCount: Int64? { Int64(bytes.count) }
    var isSeekable: Bool { true }

    init() {
        let type = Self.box("ftyp", Array("isom".utf8), Self.numbers(0), Array("isom".utf8))
        let media = Self.box("mdat", Self.zeros(Self.packetSize * Self.half * 2))
        bytes = type + media + Self.movie()
    }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        throw MediaError(.io, "only with a context")
    }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, context: ReadContext)
        throws(MediaError) -> Int
    {
        var end = Int64(bytes.count)
        if !wasInterrupted.load(ordering: .relaxed), offset <= Self.interruptedOffset {
            end = Self.interruptedOffset
            if offset == end {
                wasInterrupted.store(true, ordering: .relaxed)
                context.interrupt(before: Epoch(1))
                throw MediaError(.cancelled, "interrupted")
            }
        }
        guard offset >= 0, offset < end else { return 0 }
        let part = bytes[Int(offset)..<Int(end)].prefix(buffer.count)
        buffer.copyBytes(from: part)
        return part.count
    }

    func cancel() {}

    /// Returns the parameters of ALAC (the `alac` box), which libav uses as extradata. The history multiplier
    /// distinguishes the sample descriptions.
    static func extradata(historyMultiplier: UInt8) -> [UInt8] {
        let parameters: [UInt8] = [0, 16, 40, historyMultiplier, 14, 2, 0, 255]
        return box("alac", numbers(0, 4096), parameters, numbers(0, 0, 48_000))
    }

    private static func movie() -> [UInt8] {
        let matrix = numbers(0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000)
        let duration = half * 2 * 1000
        let movieHeader = box(
            "mvhd",
            numbers(0, 0, 0, 1000, duration, 0x1_0000),
            [1, 0],
            zeros(10),
            matrix,
            zeros(24),
            numbers(2)
        )
        let trackHeader = box(
            "tkhd",
            numbers(3, 0, 0, 1, 0, duration),
            zeros(8),
            [0, 0, 0, 0, 1, 0, 0, 0],
            matrix,
            numbers(0, 0)
        )
        let mediaHeader = box("mdhd", numbers(0, 0, 0, 1000, duration), [0x55, 0xC4, 0, 0])
        let handler = box("hdlr", numbers(0, 0), Array("soun".utf8), zeros(13))
        let media = box("mdia", mediaHeader, handler, box("minf", sampleTable()))
        return box("moov", movieHeader, box("trak", trackHeader, media))
    }

    /// Returns the table of two chunks, each of which has a sample description.
    private static func sampleTable() -> [UInt8] {
        func description(_ historyMultiplier: UInt8) -> [UInt8] {
            let format: [UInt8] = [0, 2, 0, 16, 0, 0, 0, 0]
            let parameters = extradata(historyMultiplier: historyMultiplier)
            return box("alac", zeros(6), [0, 1], zeros(8), format, numbers(48_000 << 16), parameters)
        }
        let sizes = (0..<half * 2).flatMap { _ in numbers(packetSize) }
        return box(
            "stbl",
            box("stsd", numbers(0, 2), description(10), description(11)),
            box("stts", numbers(0, 1, half * 2, 1000)),
            box("stsc", numbers(0, 2, 1, half, 1, 2, half, 2)),
            box("stsz", numbers(0, 0, half * 2), sizes),
            box("stco", numbers(0, 2, mediaOffset, mediaOffset + packetSize * half))
        )
    }

    private static func box(_ name: String, _ parts: [UInt8]...) -> [UInt8] {
        let content = Array(parts.joined())
        return numbers(content.count + 8) + Array(name.utf8) + content
    }

    /// Returns the four bytes of each number.
    private static func numbers(_ values: Int...) -> [UInt8] {
        values.flatMap { value in
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
        }
    }

    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
}

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

    @Test("A change whose first packet is interrupted applies after a seek")
    func interruptedRead() throws {
        let demuxer = FFmpegDemuxer(OpenRequest(location: "two.mp4", source: InterruptedMovie()))
        _ = try demuxer.open().get()
        demuxer.setEnabledTracks([0])
        func nextPacket() throws -> (time: MediaTime?, extradata: [UInt8]?) {
            let packet = try #require(try demuxer.read().get())
            let payload = try #require(packet.payload as? FFmpegPacketPayload)
            return (packet.presentationTime, payload.extradata)
        }
        for second in 0..<4 as Range<Int64> {
            let (time, extradata) = try nextPacket()
            #expect(time == MediaTime(value: second, timescale: 1))
            #expect(extradata == nil)
        }
        let error = #expect(throws: MediaError.self) { try demuxer.read() }
        #expect(error?.code == .cancelled)
        demuxer.begin(Epoch(1))
        try demuxer.seek(to: MediaTime(value: 6, timescale: 1), preference: .atOrBefore).get()
        // Of audio, the packet before the target is decoded, too.
        let (time, extradata) = try nextPacket()
        #expect(time == MediaTime(value: 5, timescale: 1))
        #expect(extradata == InterruptedMovie.extradata(historyMultiplier: 11))
    }

    @Test("Other containers are not affected")
    func otherContainers() throws {
        #expect(try result([Input(0), Input(1, 2), Input(2)], formatName: "ogg") == [nil, nil, nil])
    }
}
