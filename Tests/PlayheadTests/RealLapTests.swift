import Foundation
import MediaCore
import Playhead
import PlayheadBackend
import TestSupport
import Testing

@testable import PlaybackEngine

// Rule: kept-frames
/// Passes of real decoders that are repeated from the frame cache: the frames must be identical.
@Suite("Cached passes of real media", .enabled(if: Fixture.areThere))
struct RealLapTests {
    private struct Decoded: Hashable {
        let time: MediaTime
        let hash: UInt64
    }

    private static let names = [
        "clip-h264-aac.mp4", "clip-hevc-aac.mp4", "clip-av1-aac.mp4", "clip-vp9-opus.webm",
        "clip-h264-aac.ts", "clip-fragmented.mp4", "vfr.mp4", "short-audio.mp4",
    ]

    /// The packets of a track, and makers of decoders for them.
    private struct Script {
        let packets: [Packet]
        let track: Track
        let demuxer: any Demuxer
        let description: MediaDescription

        init(_ name: String, _ type: MediaType) throws {
            demuxer = Player.Configuration().backend.makeDemuxer(
                for: OpenRequest(location: Fixture.url(name).path)
            )
            description = try demuxer.open().get()
            track = try #require(description.tracks.first { $0.mediaType == type })
            demuxer.setEnabledTracks([track.id])
            var packets: [Packet] = []
            while let packet = try demuxer.read().get() { packets.append(packet) }
            self.packets = packets
        }

        func makeDecoder() throws -> any Decoder {
            try demuxer.makeDecoder(for: track.id, options: DecoderOptions(threadCount: 2)).get()
        }

        func makeRepeating(_ cache: FrameCache) throws -> CachingDecoder {
            let setting = LoopSetting()
            setting.set(true)
            return CachingDecoder(
                try makeDecoder(),
                of: track,
                duration: description.duration,
                share: cache.makeShare(),
                setting: setting
            )
        }
    }

    /// Sends the first `count` packets and drains the decoder. `then` is called before packet `place`.
    private func lap(
        _ script: Script,
        _ decoder: any Decoder,
        count: Int? = nil,
        at place: Int = 0,
        then: () -> Void = {}
    ) throws -> [Decoded] {
        var frames: [Decoded] = []
        var sent = 0
        let count = count ?? script.packets.count
        while true {
            switch try decoder.receive() {
            case .video(let frame):
                frames.append(Decoded(time: frame.presentationTime, hash: hash(of: frame)))
            case .audio(let buffer):
                frames.append(Decoded(time: buffer.presentationTime, hash: hash(of: buffer)))
            case .needsInput:
                if sent == place { then() }
                if try decoder.send(sent < count ? script.packets[sent] : nil) { sent += 1 }
            case .ended:
                decoder.flush()
                return frames
            }
        }
    }

    private func hash(of frame: VideoFrame) -> UInt64 {
        frame.withPlanes { planes in
            var hasher = Hasher()
            for plane in planes {
                for row in 0..<plane.rowCount {
                    let start = plane.baseAddress + row * plane.bytesPerRow
                    hasher.combine(bytes: UnsafeRawBufferPointer(start: start, count: plane.bytesUsedPerRow))
                }
            }
            return UInt64(bitPattern: Int64(hasher.finalize()))
        }
    }

    private func hash(of buffer: AudioBuffer) -> UInt64 {
        buffer.withPlanes { planes in
            var hasher = Hasher()
            for plane in planes { hasher.combine(bytes: plane) }
            return UInt64(bitPattern: Int64(hasher.finalize()))
        }
    }

    @Test("Three passes equal the output of the decoder alone", arguments: names, [MediaType.video, .audio])
    func laps(name: String, type: MediaType) throws {
        let script = try Script(name, type)
        let plain = try lap(script, script.makeDecoder())
        let cache = FrameCache()
        let decoder = try script.makeRepeating(cache)
        for _ in 0..<3 { #expect(try lap(script, decoder) == plain) }
        #expect(cache.byteCount > 0)
        #expect(!plain.isEmpty)
    }

    @Test(
        "A pass that is not repeated to its end continues with the decoder",
        arguments: names,
        [MediaType.video, .audio]
    )
    func diverges(name: String, type: MediaType) throws {
        let script = try Script(name, type)
        let plain = try lap(script, script.makeDecoder())
        let count = script.packets.count
        for place in [1, 2, 7, count / 3, count / 2, count - 3, count] where place <= count {
            // The frames are removed from the cache in the middle of a pass.
            let cache = FrameCache()
            let decoder = try script.makeRepeating(cache)
            #expect(try lap(script, decoder) == plain)
            let evicted = try lap(script, decoder, at: place) { cache.byteLimit = 0 }
            #expect(evicted == plain, "the frames left before packet \(place) of \(count)")
            // The data ends earlier than in the cached pass.
            let shorter = try script.makeRepeating(FrameCache())
            #expect(try lap(script, shorter) == plain)
            let expected = try lap(script, script.makeDecoder(), count: place)
            #expect(
                try lap(script, shorter, count: place) == expected,
                "drained before packet \(place) of \(count)"
            )
            #expect(try lap(script, shorter) == plain)
        }
    }
}
