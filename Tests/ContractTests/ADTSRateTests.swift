import FFmpeg
import Foundation
import MediaCore
import PlayheadBackend
import PlayheadTesting
import TestSupport
import Testing

@Suite("Contract: AAC whose sample rate changes")
struct ADTSRateTests {
    @Test("Packets have the duration of their sample rate, and seeks return to the same times")
    func change() throws {
        let folder = try TemporaryFolder()
        var bytes = Data()
        for (name, rate) in [("a.aac", 24_000), ("b.aac", 48_000)] {
            let source = "-f lavfi -i aevalsrc=0.5*sin(300*t*t):d=3:s=\(rate)"
            let url = try MadeFile.make(name, in: folder, "\(source) -c:a aac")
            bytes += try Data(contentsOf: url)
        }
        try folder.write("both.aac", bytes)
        let demuxer = FFmpegDemuxer(OpenRequest(location: folder.path("both.aac")))
        defer { demuxer.cancel() }
        _ = try demuxer.open().get()
        let whole = try times(demuxer)
        // The encoder adds up to three frames to each part.
        let end = try #require(whole.last)
        #expect(end > .ms(5900) && end < .ms(6300), "\(end)")
        for time in [MediaTime.ms(1000), .ms(4000), .ms(5500)] {
            try demuxer.seek(to: time, preference: .atOrBefore).get()
            let part = try times(demuxer)
            #expect(part.first.map { $0 <= time && $0 > time - .ms(500) } == true, "\(time)")
            #expect(part[...] == whole.suffix(part.count), "\(time)")
        }
    }

    private func times(_ demuxer: FFmpegDemuxer) throws -> [MediaTime] {
        var times: [MediaTime] = []
        while let packet = try demuxer.read().get() { times.append(try #require(packet.presentationTime)) }
        return times
    }
}
