import Foundation
import Playhead
import TestSupport
import Testing

@Suite("Contract: the default track of a container")
struct DefaultOptionTests {
    @Test(
        "The track that Matroska marks as the default, or that MP4 enables, plays without a selection",
        arguments: ["a.mkv", "a.mp4"]
    )
    func second(name: String) async throws {
        let folder = try TemporaryFolder()
        let sources = "-f lavfi -i sine=300:d=1 -f lavfi -i sine=600:d=1 -map 0 -map 1 -c:a aac"
        let url = try MadeFile.make(
            name,
            in: folder,
            "\(sources) -disposition:a:0 0 -disposition:a:1 default"
        )
        let asset = Asset(url: url)
        try await asset.load()
        let group = try #require(asset.mediaSelectionGroup(for: .audible))
        try #require(group.options.count == 2)
        #expect(group.defaultOption == group.options[1])
        #expect(PlayerItem(asset: asset).selectedMediaOption(in: group) == group.options[1])
    }

    @Test("Subtitles of an unknown codec are not playable, although they are marked as the default")
    func unknownCodec() async throws {
        let folder = try TemporaryFolder()
        try folder.write("a.srt", Array("1\n00:00:00,000 --> 00:00:01,000\nHello\n".utf8))
        let text = folder.file("a.srt").path
        let url = try MadeFile.make(
            "a.mkv",
            in: folder,
            """
            -f lavfi -i testsrc2=s=64x48:d=1 -i \(text) -i \(text) -map 0 -map 1 -map 2 -c:v mpeg4 -c:s srt
            -disposition:s:0 default
            """
        )
        var bytes = try Data(contentsOf: url)
        let name = try #require(bytes.firstRange(of: Data("S_TEXT/UTF8".utf8)))
        bytes.replaceSubrange(name, with: Data("S_TEXT/NONE".utf8))
        try bytes.write(to: url)
        let asset = Asset(url: url)
        try await asset.load()
        #expect(asset.tracks.map(\.isPlayable) == [true, false, true])
        #expect(asset.tracks.map(\.unplayableReason) == [nil, "no decoder for this type of track", nil])
        let group = try #require(asset.mediaSelectionGroup(for: .legible))
        #expect(group.options.map(\.isPlayable) == [false, true])
    }

    @Test("The audio of a transport stream of several programs is that of the program with the video")
    func programs() async throws {
        let folder = try TemporaryFolder()
        let sources = "-f lavfi -i sine=300:d=1 -f lavfi -i sine=600:d=1 -f lavfi -i testsrc2=s=64x48:d=1"
        let programs = "-program title=Radio:program_num=1:st=0 -program title=TV:program_num=2:st=1:st=2"
        let url = try MadeFile.make(
            "a.ts",
            in: folder,
            "\(sources) -map 0 -map 1 -map 2 -c:a mp2 -c:v mpeg2video \(programs)"
        )
        let asset = Asset(url: url)
        try await asset.load()
        let group = try #require(asset.mediaSelectionGroup(for: .audible))
        #expect(group.options.map(\.track.id) == [0, 1])
        #expect(group.defaultOption?.track.id == 1)
    }
}
