import FFmpeg
import Foundation
import MediaCore
import PlayheadBackend
import PlayheadTesting
import TestSupport
import Testing

@Suite("Contract: chained Ogg streams")
struct OggChainTests {
    private struct AudioPacket {
        let time: MediaTime
        let end: MediaTime
    }

    @Test(
        "Each link begins where the previous one ends, whatever its format, and seeks return to these times",
        arguments: ["libopus", "libvorbis", "flac"]
    )
    func links(_ codec: String) throws {
        let folder = try TemporaryFolder()
        let rate = codec == "libopus" ? 48_000 : 44_100
        var bytes = Data()
        for (name, options) in [("a.ogg", "-ar \(rate)"), ("b.ogg", "-ar 48000 -ac 2")] {
            let source = "-f lavfi -i aevalsrc=0.5*sin(300*t*t):d=3:s=48000"
            let url = try MadeFile.make(name, in: folder, "\(source) -c:a \(codec) \(options)")
            bytes += try Data(contentsOf: url)
        }
        try folder.write("chained.ogg", bytes)
        let demuxer = FFmpegDemuxer(OpenRequest(location: folder.path("chained.ogg")))
        defer { demuxer.cancel() }
        // The container declares the duration of the last link, or none.
        let description = try demuxer.open().get()
        #expect(description.durationIsEstimate || !description.duration.isNumeric)
        let whole = try remainder(demuxer)
        for (previous, next) in zip(whole, whole.dropFirst()) {
            #expect(isNear(next.time, previous.end), "\(next.time) after \(previous.end)")
        }
        let last = try #require(whole.last)
        #expect(isNear(last.end, .ms(6000)), "\(last.end)")
        for time in [MediaTime.ms(1000), .ms(4000), .ms(5500)] {
            try demuxer.seek(to: time, preference: .atOrBefore).get()
            let part = try remainder(demuxer)
            #expect(part.first.map { $0.time <= time } == true, "\(time)")
            #expect(part.map(\.time) == whole.suffix(part.count).map(\.time), "\(time)")
        }
    }

    @Test("The duration of a file with one link is exact")
    func single() throws {
        let folder = try TemporaryFolder()
        let url = try MadeFile.make("a.ogg", in: folder, "-f lavfi -i sine=d=3 -c:a libvorbis")
        let demuxer = FFmpegDemuxer(OpenRequest(location: url.path))
        defer { demuxer.cancel() }
        #expect(try !demuxer.open().get().durationIsEstimate)
    }

    /// The samples that a decoder drops at the start of a link are up to 7 ms.
    private func isNear(_ time: MediaTime, _ expected: MediaTime) -> Bool {
        max(time, expected) - min(time, expected) < .ms(10)
    }

    private func remainder(_ demuxer: FFmpegDemuxer) throws -> [AudioPacket] {
        var packets: [AudioPacket] = []
        while let packet = try demuxer.read().get() {
            let time = try #require(packet.presentationTime)
            packets.append(AudioPacket(time: time, end: time + (packet.duration ?? .zero)))
        }
        return packets
    }
}
