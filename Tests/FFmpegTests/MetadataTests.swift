import CFFmpeg
import Foundation
import MediaCore
import Playhead
import PlayheadBackend
import Testing

@testable import FFmpeg

struct ID3TagTests {
    /// Returns an ID3 tag with the given frames, in version 3 or 4.
    private func tag(_ version: UInt8, _ frames: [(String, [UInt8])], flags: UInt8 = 0) -> [UInt8] {
        var body: [UInt8] =
            flags & 0x40 != 0 ? (version == 4 ? [0, 0, 0, 6, 1, 0] : [0, 0, 0, 6, 0, 0, 0, 0, 0, 0]) : []
        for (name, content) in frames {
            body += Array(name.utf8) + size(content.count, version == 4 ? 7 : 8) + [0, 0] + content
        }
        return Array("ID3".utf8) + [version, 0, flags] + size(body.count, 7) + body
    }

    private func size(_ count: Int, _ bits: Int) -> [UInt8] {
        let mask = (1 << bits) - 1
        return (0..<4).reversed().map { UInt8(count >> ($0 * bits) & mask) }
    }

    @Test(arguments: [UInt8(3), 4])
    func frames(_ version: UInt8) {
        let long = String(repeating: "x", count: 300)
        let frames: [(String, [UInt8])] = [
            ("TIT2", [3] + Array("Grüße\0".utf8)), ("TPE1", [0, 0x47, 0xFC]),
            ("TALB", [1, 0xFF, 0xFE, 0x41, 0, 0xAC, 0x20]), ("TCOM", [2, 0x20, 0xAC, 0, 0x42]),
            ("TXXX", [3] + Array("cue\0\(long)".utf8)), ("WOAF", Array("http://x".utf8)),
            ("PRIV", Array("owner".utf8) + [0, 1, 0xAB]), ("APIC", [9]),
        ]
        let expected = [
            "TIT2": "Grüße", "TPE1": "Gü", "TALB": "A€", "TCOM": "€B", "TXXX:cue": long, "WOAF": "http://x",
            "PRIV:owner": "01ab", "APIC": "09",
        ]
        #expect(ID3Tag.values(tag(version, frames)) == expected)
        #expect(ID3Tag.values(tag(version, frames, flags: 0x40)) == expected)
    }

    @Test("A packet with a tag becomes a group that begins at its time")
    func packet() throws {
        let owner = try PacketOwner()
        let bytes = tag(4, [("TIT2", [3] + Array("one".utf8))])
        #expect(av_new_packet(owner.pointer, Int32(bytes.count)) == 0)
        for (index, byte) in bytes.enumerated() { owner.pointer.pointee.data[index] = byte }
        let packet = Packet(
            track: 5,
            presentationTime: MediaTime(value: 3, timescale: 2),
            decodeTime: nil,
            duration: nil,
            byteCount: bytes.count,
            isKeyFrame: true,
            payload: FFmpegPacketPayload(owner)
        )
        let range = MediaTimeRange(start: MediaTime(value: 3, timescale: 2), duration: .indefinite)
        #expect(
            try ID3Decoder().decode(packet) == [
                TextCue(text: "", timeRange: range, track: 5, values: ["TIT2": "one"])
            ]
        )
    }

    @Test("Truncated or damaged frames are omitted without a trap")
    func damaged() {
        let whole = tag(
            4,
            [("TIT2", [3] + Array("one".utf8)), ("TXXX", [1, 0xFF]), ("PRIV", [1, 2]), ("T", [])]
        )
        for count in whole.indices { _ = ID3Tag.values(Array(whole[..<count])) }
        for index in whole.indices {
            for value in [UInt8(0), 0x7F, 0xFF] {
                var bytes = whole
                bytes[index] = value
                _ = ID3Tag.values(bytes)
            }
        }
        #expect(ID3Tag.values([]) == [:])
        #expect(ID3Tag.values(Array("no tag at all, but long".utf8)) == [:])
        #expect(ID3Tag.values(tag(4, [("TIT2", [])])) == [:])
    }
}

@Suite(.enabled(if: Corpus.isPresent, Corpus.hint))
struct CorpusMetadataTests {
    @Test("The ID3 track of a transport stream is found; a tag without its beginning is ignored")
    func id3() throws {
        let demuxer = FFmpegDemuxer(OpenRequest(location: Corpus.root + "/broken/pts-zero-length-segment.ts"))
        let track = try #require(try demuxer.open().get().tracks.first { $0.codec == "timed_id3" })
        #expect(track.mediaType == .data)
        demuxer.setEnabledTracks([track.id])
        let decoder = try demuxer.makeTextDecoder(for: track.id).get()
        let packet = try #require(try demuxer.read().get())
        #expect(packet.byteCount == 34)
        #expect(try decoder.decode(packet).isEmpty)
    }

    @Test(
        "Chapters of real files are reported during playback",
        arguments: [
            "chapters/matroska-chapters.mkv", "chapters/quicktime-chapter-track.mp4",
        ]
    )
    func chapters(_ path: String) async throws {
        var configuration = Player.Configuration()
        configuration.clock = .virtual
        configuration.audio = .none
        let player = Player(configuration: configuration)
        let item = PlayerItem(url: URL(fileURLWithPath: Corpus.root + "/" + path))
        let output = MetadataOutput()
        let received = Locked([(MediaTime, TimedMetadataGroup)]())
        output.setHandler { notice in
            guard case .groups(let groups, let time) = notice else { return }
            received.withLock { $0 += groups.map { (time, $0) } }
        }
        item.add(output)
        try await player.playToEnd(item)
        let end = item.currentTime()
        let chapters = item.asset.chapters.filter { $0.timeRange.start < end }
        await player.shutdown()
        #expect(!chapters.isEmpty)
        let all = received.withLock { $0 }
        #expect(all.map { $0.1.timeRange } == chapters.map(\.timeRange))
        for (time, group) in all { #expect(abs((time - group.timeRange.start).seconds) < 0.000001) }
        let titles = all.map { $0.1.items.first { $0.key == "title" }?.value }
        #expect(titles == chapters.map(\.title))
    }
}
