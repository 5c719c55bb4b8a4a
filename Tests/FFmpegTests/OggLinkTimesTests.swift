import CFFmpeg
import Testing

@testable import FFmpeg

@Suite("Times of chained Ogg streams")
struct OggLinkTimesTests {
    /// A packet as libav delivers it.
    private struct Input {
        var time: Int64
        var duration: Int64
        var position: Int64
        var skipped: UInt8 = 0
        var bytes: [UInt8] = [0xFF]
    }

    private static let vorbisHeader: [UInt8] =
        [0x01] + Array("vorbis".utf8) + [0, 0, 0, 0, 2, 0x80, 0xBB, 0, 0]

    private func packet(_ input: Input) throws -> PacketOwner {
        let owner = try PacketOwner()
        try #require(av_new_packet(owner.pointer, Int32(input.bytes.count)) == 0)
        for (index, byte) in input.bytes.enumerated() { owner.pointer.pointee.data[index] = byte }
        owner.pointer.pointee.pts = input.time
        owner.pointer.pointee.dts = input.time
        owner.pointer.pointee.duration = input.duration
        owner.pointer.pointee.pos = input.position
        if input.skipped > 0 {
            let skipped: [UInt8] = [input.skipped, 0, 0, 0, 0, 0, 0, 0, 0, 0]
            owner.attach(skipped, as: AV_PKT_DATA_SKIP_SAMPLES)
        }
        return owner
    }

    private func times(of inputs: [Input], by links: inout OggLinkTimes) throws -> [Int64] {
        var times: [Int64] = []
        for input in inputs {
            let owner = try packet(input)
            links.setTime(of: owner.pointer)
            times.append(owner.pointer.pointee.pts)
        }
        return times
    }

    @Test("A link whose times begin again continues where the previous one ends, without skipped samples")
    func opus() throws {
        var links = OggLinkTimes(stream: 0, codec: AV_CODEC_ID_OPUS, timescale: 48_000)
        let inputs = [
            Input(time: -120, duration: 960, position: 100, skipped: 120),
            Input(time: 840, duration: 160, position: 100),
            Input(time: -100, duration: 960, position: 900, skipped: 100),
            Input(time: 860, duration: 960, position: 900),
            Input(time: 0, duration: 960, position: 1900),
        ]
        let moved = try times(of: inputs, by: &links)
        #expect(moved == [-120, 840, 900, 1860, 2820])
    }

    @Test("The headers of a link are where the previous one ends, and its sample rate applies to its times")
    func vorbis() throws {
        var links = OggLinkTimes(stream: 0, codec: AV_CODEC_ID_VORBIS, timescale: 24_000)
        let inputs = [
            Input(time: 0, duration: 576, position: 100),
            Input(time: 576, duration: 424, position: 100),
            Input(time: 0, duration: 0, position: 500, bytes: Self.vorbisHeader),
            Input(time: 0, duration: 0, position: 600, bytes: [0x05] + Array("vorbis".utf8)),
            // Also if its times do not begin again.
            Input(time: 9_000, duration: 1000, position: 700),
            Input(time: 10_000, duration: 1000, position: 700),
        ]
        let moved = try times(of: inputs, by: &links)
        #expect(moved == [0, 576, 1000, 1000, 1000, 1500])
    }

    @Test("A seek returns to the times of the link that it reaches")
    func seek() throws {
        var links = OggLinkTimes(stream: 0, codec: AV_CODEC_ID_OPUS, timescale: 48_000)
        let first = Input(time: 960, duration: 960, position: 100)
        let second = Input(time: 0, duration: 960, position: 900)
        let whole = try times(of: [first, second], by: &links)
        #expect(whole == [960, 1920])
        links.noteSeek()
        let again = try times(of: [first, second], by: &links)
        #expect(again == whole)
        links.noteSeek()
        let rest = try times(of: [second, Input(time: 960, duration: 960, position: 1900)], by: &links)
        #expect(rest == [1920, 2880])
    }

    @Test("Times that are too late on the first page after a seek do not begin a link")
    func flac() throws {
        var links = OggLinkTimes(stream: 0, codec: AV_CODEC_ID_FLAC, timescale: 48_000)
        links.noteSeek()
        let inputs = [
            Input(time: 9216, duration: 4608, position: 100),
            Input(time: 13_824, duration: 4608, position: 100),
            Input(time: 9216, duration: 4608, position: 900),
            Input(time: 13_824, duration: 4608, position: 900),
        ]
        let moved = try times(of: inputs, by: &links)
        #expect(moved == inputs.map(\.time))
    }

    @Test("Damaged headers and extreme times are not a trap")
    func damaged() throws {
        let headers: [(AVCodecID, String)] = [
            (AV_CODEC_ID_FLAC, "\u{7F}FLAC"), (AV_CODEC_ID_SPEEX, "Speex   "),
            (AV_CODEC_ID_VORBIS, "\u{1}vorbis"),
        ]
        for (codec, header) in headers {
            var links = OggLinkTimes(stream: 0, codec: codec, timescale: 48_000)
            let inputs = [
                Input(time: .max, duration: .max, position: 0, bytes: []),
                Input(time: 0, duration: 0, position: -1, bytes: Array(header.utf8)),
                Input(time: .min + 1, duration: .max, position: 900),
            ]
            let moved = try times(of: inputs, by: &links)
            #expect(moved.count == inputs.count)
        }
    }
}
