import CFFmpeg
import MediaCore
import PlayheadBackend
import TestSupport
import Testing

@testable import FFmpeg

// Rule: hardware
/// A device fails during decoding. The frames are those of the software decoder, each once and in order.
@Suite("Fallback from a device to software", .enabled(if: Fixture.areThere, "make fixtures"))
struct FallbackDecoderTests {
    struct Shown: Hashable {
        let time: MediaTime
        let hash: String
    }

    /// The clips have reordered frames, open groups of pictures, field pictures, or none of these.
    static let clips = [
        "clip-h264-aac.mp4", "clip-hevc-aac.mp4", "open-groups-hevc.mp4", "clip-vp9-opus.webm",
        "clip-av1-aac.mp4",
        "clip-h264-aac.ts", "interlaced-h264.mp4", "interlaced-mpeg2.ts", "vfr.mp4",
    ]

    /// The packets of a clip, and decoders for them.
    struct Script {
        let packets: [Packet]
        let demuxer: FFmpegDemuxer
        let track: Track
        let source: MemoryDeviceSource

        init(_ name: String, fault: DeviceFault? = nil) throws {
            source = MemoryDeviceSource(try MemoryDevice(), fault: fault)
            demuxer = FFmpegDemuxer(OpenRequest(location: Fixture.path(name)), hardware: source)
            let description = try demuxer.open().get()
            track = try #require(description.tracks.first { $0.mediaType == .video })
            demuxer.setEnabledTracks([track.id])
            var packets: [Packet] = []
            while let packet = try demuxer.read().get() { packets.append(packet) }
            self.packets = packets
        }

        func decoder(_ hardware: HardwareDecoding) throws -> any Decoder {
            var options = DecoderOptions(threadCount: 2)
            options.hardware = hardware
            return try demuxer.makeDecoder(for: track.id, options: options).get()
        }

        /// Decodes from packet `start` to the end.
        func play(_ decoder: any Decoder, from start: Int = 0, to end: Int? = nil) throws -> [Shown] {
            var shown: [Shown] = []
            var next = start
            let end = end ?? packets.count
            while true {
                switch try decoder.receive() {
                case .video(let frame):
                    shown.append(Shown(time: frame.presentationTime, hash: FrameDigest.digest(of: frame)))
                case .needsInput:
                    if try decoder.send(next < end ? packets[next] : nil) { next += 1 }
                case .ended: return shown
                case .audio: return shown
                }
            }
        }
    }

    final class ErrorRecorder: Sendable {
        let errors = Locked<[MediaError]>([])
        func listen(to decoder: any Decoder) {
            decoder.setFaultHandler { [errors] error in errors.withLock { $0.append(error) } }
        }
        var count: Int { errors.withLock { $0.count } }
    }

    @Test(
        "A device that does not fail returns the frames of the software decoder, bit by bit",
        arguments: clips
    )
    func same(clip: String) throws {
        let script = try Script(clip)
        let recorder = ErrorRecorder()
        let decoder = try script.decoder(.automatic)
        recorder.listen(to: decoder)
        let plain = try script.play(script.decoder(.none))
        #expect(!plain.isEmpty)
        #expect(try script.play(decoder) == plain)
        #expect(recorder.count == 0)
        #expect(script.source.made.withLock { $0 } == 1)
    }

    @Test(
        "Wherever the device fails, no frame is lost or repeated, and one error is reported",
        arguments: clips
    )
    func fails(clip: String) throws {
        let plain = try Script(clip)
        let frames = try plain.play(plain.decoder(.none))
        let count = plain.packets.count
        let places = Array(Set([0, 1, 2, 3, 7, 12, 13, 25, count / 3, count / 2, count - 2, count - 1]))
            .sorted()
        for place in places.samples where place >= 0 && place < min(count, frames.count) {
            for fault in [DeviceFault.packet(place), .frame(place)] {
                let script = try Script(clip, fault: fault)
                let recorder = ErrorRecorder()
                let decoder = try script.decoder(.device("memory"))
                recorder.listen(to: decoder)
                #expect(try script.play(decoder) == frames, "\(fault)")
                #expect(recorder.count == 1, "\(fault)")
                // The next pass, and a seek, use the software decoder.
                decoder.flush()
                #expect(try script.play(decoder) == frames, "\(fault)")
                #expect(recorder.count == 1, "\(fault)")
            }
        }
        let script = try Script(clip, fault: .drain)
        #expect(try script.play(script.decoder(.automatic)) == frames)
    }

    @Test("After a seek, the packets from the new position are decoded again", arguments: clips)
    func afterSeek(clip: String) throws {
        let plain = try Script(clip)
        let keys = plain.packets.indices.filter { plain.packets[$0].isKeyFrame }
        for key in keys.suffix(3) {
            let before = min(key + 5, plain.packets.count)
            let reference = try plain.decoder(.none)
            let expected = try plain.play(reference, from: key)
            for offset in [0, 1, 4, 9].samples where key + offset < plain.packets.count {
                let script = try Script(clip, fault: .packet(before + offset))
                let decoder = try script.decoder(.automatic)
                _ = try script.decodeSome(decoder, count: before)
                decoder.flush()
                #expect(try script.play(decoder, from: key) == expected, "key \(key), \(offset) behind it")
            }
        }
    }

    @Test("Delivered frames are recognized although packets between them were skipped")
    func skipping() throws {
        let clip = "clip-h264-aac.mp4"
        let plain = try Script(clip)
        let reference = try plain.decoder(.none)
        reference.skip(.nonReference)
        let expected = try plain.play(reference)
        #expect(expected.count < plain.packets.count)
        for place in [3, 10, 30] {
            let script = try Script(clip, fault: .packet(place))
            let decoder = try script.decoder(.automatic)
            decoder.skip(.nonReference)
            #expect(try script.play(decoder) == expected)
        }
    }

    @Test("The kept packets begin with the last key frame that was returned")
    func kept() {
        var packets = SentPackets()
        for index in 0..<60 {
            packets.record(Self.packet(index, isKey: index % 25 == 0), .none)
            #expect(packets.sent.count <= 25 + 3)
            if index >= 2 { packets.frameReceived(at: Self.time(index - 2)) }
        }
        #expect(packets.sent.first?.packet?.presentationTime == Self.time(50))
        #expect(packets.newest == Self.time(57))
        // Not all frames before the key frame have been returned when it is sent.
        packets.record(Self.packet(75, isKey: true), .none)
        packets.frameReceived(at: Self.time(74))
        #expect(packets.sent.first?.packet?.presentationTime == Self.time(50))
        packets.frameReceived(at: Self.time(75))
        #expect(packets.sent.count == 1)
    }

    @Test("A group of pictures that is too large is not kept, but a drain is")
    func tooLarge() {
        var packets = SentPackets()
        for index in 0..<5 {
            packets.record(Self.packet(index, isKey: index == 0, byteCount: 20 << 20), .none)
        }
        #expect(packets.isIncomplete && packets.sent.isEmpty)
        var drained = packets
        drained.record(nil, .none)
        #expect(drained.sent.count == 1 && drained.sent.first?.packet == nil)
        packets.record(Self.packet(6, isKey: true), .none)
        #expect(!packets.isIncomplete && packets.sent.count == 1)
    }

    private static func time(_ index: Int) -> MediaTime { MediaTime(value: Int64(index), timescale: 25) }

    private static func packet(_ index: Int, isKey: Bool, byteCount: Int = 1000) -> Packet {
        Packet(
            track: 0,
            presentationTime: time(index),
            decodeTime: time(index),
            duration: time(1),
            byteCount: byteCount,
            isKeyFrame: isKey,
            payload: Nothing()
        )
    }

    private final class Nothing: PacketPayload {}
}

extension FallbackDecoderTests.Script {
    func decodeSome(_ decoder: any Decoder, count: Int) throws -> Int {
        var (sent, frames) = (0, 0)
        while sent < count {
            switch try decoder.receive() {
            case .video: frames += 1
            case .needsInput: if try decoder.send(packets[sent]) { sent += 1 }
            case .audio, .ended: return frames
            }
        }
        return frames
    }
}
