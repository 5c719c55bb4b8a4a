import Foundation
import MediaCore
import PlayheadBackend
import TestSupport
import Testing

@testable import HLS

/// Tracks that are enabled and disabled while a presentation is read.
@Suite("HLS: enabled tracks", .enabled(if: Fixture.areThere, "make fixtures"))
struct EnabledTrackTests {
    @Test(
        "After a discontinuity, the tracks that are enabled now are read",
        arguments: ["", "#EXT-X-DISCONTINUITY\n"]
    )
    func enabledAfterSeek(tag: String) throws {
        let folder = try Presentation.folder("ts")
        defer { withExtendedLifetime(folder) {} }
        let head = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n0.ts\n"
        let list = head + tag + "#EXTINF:1,\n1.ts\n#EXTINF:1,\n2.ts\n#EXT-X-ENDLIST\n"
        try folder.write("cut.m3u8", Array(list.utf8))
        let demuxer = DetectingDemuxer(local: folder.path("cut.m3u8"))
        let tracks = try demuxer.open().get().tracks
        let video = try #require(tracks.first { $0.mediaType == .video }?.id)
        let audio = try #require(tracks.first { $0.mediaType == .audio }?.id)
        demuxer.setEnabledTracks([video])
        try demuxer.seek(to: MediaTime(value: 3, timescale: 2), preference: .atOrBefore).get()
        demuxer.setEnabledTracks([audio])
        var read: Set<Int> = []
        while let packet = try demuxer.read().get() { read.insert(packet.track) }
        #expect(read == [audio])
    }

    @Test(
        "Tracks of one playlist have its index",
        arguments: [("ts", "list.m3u8", 1), ("separate audio", "master.m3u8", 2)]
    )
    func playlistIndex(name: String, list: String, count: Int) throws {
        let folder = try Presentation.folder(name)
        defer { withExtendedLifetime(folder) {} }
        let demuxer = DetectingDemuxer(local: folder.path(list))
        let tracks = try demuxer.open().get().tracks
        #expect(tracks.count == 2)
        #expect(Set(tracks.map(\.playlistIndex)).count == count)
    }
}
