import Foundation
import MediaCore
import PlayheadBackend
import TestSupport
import Testing

@testable import FFmpeg

/// A local playlist can refer only to files in its folder.
@Suite(.enabled(if: Corpus.isPresent, Corpus.hint))
struct PlaylistPolicyTests {
    private func playlist(_ segment: String) -> [UInt8] {
        Array("#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\n\(segment)\n#EXT-X-ENDLIST\n".utf8)
    }

    private func segment() throws -> [UInt8] {
        try #require(Corpus.readBytes(Corpus.entry("mpeg/bbb-2.5s-mpeg2-1080-mp2.ts").location))
    }

    private func packetCount(_ location: String) throws -> Int {
        let demuxer = Corpus.makeDemuxer(OpenRequest(location: location))
        _ = try demuxer.open().get()
        var count = 0
        while try demuxer.read().get() != nil { count += 1 }
        return count
    }

    @Test func filesBesideThePlaylistPlay() throws {
        let folder = try TemporaryFolder()
        mkdir(folder.path + "/parts", 0o755)
        try folder.write("parts/a.ts", segment())
        for reference in ["parts/a.ts", "./parts/../parts/a.ts", "file://\(folder.path)/parts/a.ts"] {
            try folder.write("list.m3u8", playlist(reference))
            #expect(try packetCount(folder.path + "/list.m3u8") > 50, "\(reference)")
        }
    }

    @Test func encryptedSegmentsPlay() throws {
        let folder = try TemporaryFolder()
        let source = try Corpus.entry("h264/smpte-1080p25-aac.mp4").location
        try folder.write("enc.key", Array("0123456789abcdef".utf8))
        try folder.write("info", Array("enc.key\n\(folder.path)/enc.key\n".utf8))
        let arguments = "-t 3 -c copy -hls_time 1 -hls_list_size 0 -hls_key_info_file info list.m3u8"
        _ = Corpus.output(of: "cd '\(folder.path)' && ffmpeg -nostdin -v quiet -i '\(source)' \(arguments)")
        let plain = try Playthrough.play(folder.path + "/list.m3u8", .video)
        // Copying cuts between packets, so there may be a few frames more than in three seconds.
        #expect((75...80).contains(plain?.frames.count ?? 0))
        #expect(plain?.errors.isEmpty == true)
    }

    @Test func nothingElseDoes() throws {
        let folder = try TemporaryFolder()
        let other = try TemporaryFolder()
        try other.write("secret.ts", segment())
        symlink(other.path + "/secret.ts", folder.path + "/link.ts")
        let escapes = [
            "\(other.path)/secret.ts", "file://\(other.path)/secret.ts",
            "../\(other.url.lastPathComponent)/secret.ts",
            "link.ts", "http://127.0.0.1:1/a.ts", "concat:\(other.path)/secret.ts",
            "crypto:\(other.path)/secret.ts", "subfile,,start,0,end,0,,:\(other.path)/secret.ts",
            "data:video/mp2t;base64,R0A=",
        ]
        for reference in escapes {
            try folder.write("list.m3u8", playlist(reference))
            let count = (try? packetCount(folder.path + "/list.m3u8")) ?? 0
            #expect(count == 0, "\(reference)")
        }
    }

    @Test func aPlaylistUnderAnotherNameIsRefused() throws {
        let folder = try TemporaryFolder()
        try folder.write("a.ts", segment())
        try folder.write("movie.mp4", playlist("a.ts"))
        let error = #expect(throws: MediaError.self) { try packetCount(folder.path + "/movie.mp4") }
        #expect(error?.code == .unrecognizedFormat)
        #expect(error?.message.contains("playlist") == true)
    }

    @Test func aPlaylistFromMemoryIsRefused() throws {
        let source = MemorySource(playlist("/etc/passwd"))
        let demuxer = FFmpegDemuxer(OpenRequest(location: "list.m3u8", source: source))
        let error = #expect(throws: MediaError.self) { try demuxer.open().get() }
        #expect(error?.code == .forbidden)
    }

    @Test func aPlaylistThatListsItselfEnds() throws {
        let folder = try TemporaryFolder()
        let text = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nself.m3u8\n"
        try folder.write("self.m3u8", Array(text.utf8))
        #expect(throws: MediaError.self) { try packetCount(folder.path + "/self.m3u8") }
    }

    @Test(arguments: [
        ("a.m3u8", true), ("a.m3u", true), ("playlist", true), ("a.mp4", false), ("a.txt", false),
    ])
    func theNameDecidesWithTheContent(_ name: String, _ isPlaylist: Bool) {
        let head = Array("#EXTM3U\n".utf8)
        #expect(PlaylistSignature.matches(head))
        #expect(!PlaylistSignature.matches(Array("hello".utf8)))
        #expect(PlaylistSignature.mayName(name) == isPlaylist)
    }
}
