import FFmpeg
import Foundation
import MediaCore
import Playhead
import PlayheadBackend
import PlayheadTesting
import TestSupport
import Testing

@Suite("Contract: times of audio after a seek in Ogg")
struct OggSeekTests {
    private struct AudioPacket: Equatable {
        let time: MediaTime?
        let byteCount: Int
    }

    @Test("Packets of FLAC have the times that they have from the start after a seek to a frame of Theora")
    func flacWithVideo() throws {
        let folder = try TemporaryFolder()
        let url = try MadeFile.make(
            "a.ogg",
            in: folder,
            """
            -f lavfi -i testsrc2=s=64x48:r=25:d=6 -f lavfi -i aevalsrc=0.5*sin(300*t*t):d=6:s=44100
            -c:v libtheora -g 12 -c:a flac
            """
        )
        let demuxer = FFmpegDemuxer(OpenRequest(location: url.path))
        defer { demuxer.cancel() }
        let description = try demuxer.open().get()
        let audio = try #require(description.tracks.first { $0.mediaType == .audio }?.id)
        let whole = try remainder(of: audio, demuxer)
        for time in [MediaTime.ms(1500), .ms(3200), .ms(4700), .ms(5700)] {
            try demuxer.seek(to: time, preference: .atOrBefore).get()
            let part = try remainder(of: audio, demuxer)
            #expect(part.first?.time.map { $0 <= time } == true, "\(time)")
            #expect(part[...] == whole.suffix(part.count), "\(time)")
        }
    }

    @Test(
        "Packets of the last page have their times after a seek, also if that page has been read before",
        arguments: ["libvorbis", "libopus"]
    )
    func lastPage(codec: String) throws {
        let folder = try TemporaryFolder()
        let source = "-f lavfi -i aevalsrc=0.5*sin(300*t*t):d=6:s=48000"
        let url = try MadeFile.make("a.ogg", in: folder, "\(source) -c:a \(codec)")
        let demuxer = FFmpegDemuxer(OpenRequest(location: url.path))
        defer { demuxer.cancel() }
        let track = try #require(try demuxer.open().get().tracks.first?.id)
        let whole = try remainder(of: track, demuxer)
        for time in [MediaTime.ms(5300), .ms(5500), .ms(5900)] {
            try demuxer.seek(to: time, preference: .atOrBefore).get()
            let part = try remainder(of: track, demuxer)
            #expect(part.first?.time.map { $0 <= time } == true, "\(time)")
            #expect(part[...] == whole.suffix(part.count), "\(time)")
        }
    }

    @Test(
        "Buffers of Vorbis follow one another, from the start and after a seek, also if short blocks follow long ones",
        arguments: [false, true]
    )
    func vorbisBlocks(isCopiedToWebM: Bool) async throws {
        let folder = try TemporaryFolder()
        // An attack, which is encoded in short blocks, each half second.
        let source = "aevalsrc=exp(-200*(2*t-floor(2*t)))*sin(20000*t):d=4:s=48000"
        var url = try MadeFile.make("a.ogg", in: folder, "-f lavfi -i \(source) -c:a libvorbis")
        if isCopiedToWebM { url = try MadeFile.make("a.webm", in: folder, "-i \(url.path) -c copy") }
        for start in [MediaTime.zero, .ms(1200)] {
            var end: MediaTime?
            var lengths: Set<Int> = []
            let range = MediaTimeRange(start: start, duration: .ms(2000))
            for try await buffer in Asset(url: url).audio(in: range) {
                let time = buffer.presentationTime
                #expect(isNear(time, end ?? time), "\(time) after \(end ?? time)")
                end = time + buffer.duration
                lengths.insert(buffer.frameCount)
            }
            #expect(lengths.contains(576))
            #expect(isNear(end ?? start, start + .ms(2000)))
        }
    }

    /// The times of WebM are rounded to milliseconds.
    private func isNear(_ time: MediaTime, _ expected: MediaTime) -> Bool {
        max(time, expected) - min(time, expected) < .ms(2)
    }

    /// Reads all other packets of a track.
    private func remainder(of track: Int, _ demuxer: FFmpegDemuxer) throws -> [AudioPacket] {
        var packets: [AudioPacket] = []
        while let packet = try demuxer.read().get() {
            guard packet.track == track else { continue }
            packets.append(AudioPacket(time: packet.presentationTime, byteCount: packet.byteCount))
        }
        return packets
    }
}
