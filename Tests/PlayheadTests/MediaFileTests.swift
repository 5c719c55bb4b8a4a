import Foundation
import Playhead
import PlayheadPicker
import TestSupport
import Testing

// Rule: content-type
@Suite("Media files in a folder", .enabled(if: Fixture.areThere))
struct MediaFileTests {
    /// Misleading names, and the contents of those files.
    private static let copies = [
        ("clip10.mp4", "clip-h264-aac.mp4"), ("clip2.txt", "clip-vp9-opus.webm"),
        ("clip1.mp4", "clip-h264-aac.ts"),
        ("song", "tone-44100.mp3"), ("song2.m4a", "tone-44100.m4a"), ("song3.mp4", "tone-48000-opus.webm"),
        (".hidden.mp4", "clip-h264-aac.mp4"), ("list.mp4", "broken-playlist.mp4"),
        ("text.mp4", "broken-text.mp4"),
        ("empty.mp4", "broken-empty.mp4"),
    ]

    @Test(
        "Files are selected by their contents, in natural order, without hidden files, folders, text and pipes"
    )
    func listed() async throws {
        let folder = try TemporaryFolder()
        for (name, fixture) in Self.copies {
            try FileManager.default.copyItem(atPath: Fixture.path(fixture), toPath: folder.path(name))
        }
        try FileManager.default.createDirectory(
            atPath: folder.path("clips.mp4"),
            withIntermediateDirectories: false
        )
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("link"),
            withDestinationPath: "clip10.mp4"
        )
        #expect(mkfifo(folder.path("pipe.mp4"), 0o600) == 0)
        try Data("1\n00:00:01,000 --> 00:00:02,000\nwords\n".utf8).write(to: folder.file("words.srt"))
        let generator = ImageGenerator(
            asset: Asset(url: URL(fileURLWithPath: Fixture.path("clip-h264-aac.mp4")))
        )
        let frame = try await generator.image(at: .zero).frame
        for (name, format) in [("picture", ImageFileFormat.png), ("photo.mp4", .jpeg), ("third.mov", .webp)] {
            try Data(ImageEncoder(format).encode(frame)).write(to: folder.file(name))
        }
        let url = URL(fileURLWithPath: folder.path, isDirectory: true)
        let files = try await MediaFile.files(in: url)
        #expect(
            files.map { "\($0.name) \($0.kind)" } == [
                "clip1.mp4 video", "clip2.txt video", "clip10.mp4 video", "link video", "photo.mp4 image",
                "picture image", "song audio", "song2.m4a audio", "song3.mp4 audio", "third.mov image",
            ]
        )
        #expect(try await MediaFile.files(in: url, kinds: [.audio]).count == 3)
    }

    @Test func aFolderThatIsNotThere() async {
        await #expect(throws: (any Error).self) {
            try await MediaFile.files(in: URL(fileURLWithPath: "/nonexistent"))
        }
        #expect(await MediaFile.kind(of: URL(fileURLWithPath: "/nonexistent")) == nil)
    }

    @Test("The URL of a server is not that of a local file with the same path")
    func remoteURL() async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("song.mp3")
        try Data("ID3".utf8).write(to: file)
        #expect(await MediaFile.kind(of: file) == .audio)
        let remote = try #require(URL(string: "https://example.com\(file.path)"))
        #expect(await MediaFile.kind(of: remote) == nil)
    }

    @Test(
        "No file counts as media because of its name, whatever its first bytes are",
        arguments: ["a.mp4", "b.mp3", "c.png", "d", "e.ts"]
    )
    func contents(name: String) {
        #expect(MediaContents(head: [], name: name) == nil)
        #expect(MediaContents(head: Array("plain words, many of them\n".utf8), name: name) == nil)
        // FFmpeg's probe for transport streams counts these bytes, which have the distance of its packets.
        let gaps = String(repeating: " ", count: 187)
        #expect(MediaContents(head: Array("G\(gaps)G\(gaps)\n".utf8), name: name) == nil)
        #expect(MediaContents(head: [UInt8](repeating: 0, count: 4096), name: name) == nil)
        #expect(MediaContents(head: Array("#EXTM3U\n#EXTINF:1,\na.ts\n".utf8), name: name) == nil)
        #expect(MediaContents(head: Array("ID3".utf8), name: name) == .kind(.audio))
    }
}
