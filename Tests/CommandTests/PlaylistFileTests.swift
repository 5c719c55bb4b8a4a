import Foundation
import Playhead
import Testing

@testable import vplay

/// Playlist files, and the inputs that they name.
@Suite("Playlist files")
struct PlaylistFileTests {
    private func arguments(_ bytes: [UInt8], folder: String = "/f", existing: Set<String> = []) throws
        -> [String]
    {
        let file = try PlaylistFile(bytes)
        return file.entries.map { entry in
            file.argument(for: entry, folder: Array(folder.utf8)) {
                existing.contains(String(decoding: $0, as: UTF8.self))
            }
        }
    }

    @Test(
        "The entries of M3U and PLS files",
        arguments: [
            (
                "\u{FEFF}#EXTM3U\r\n#EXTINF:10,A\r\na b.mp4\r\n\r\n/x/c.mp4\r\nhttps://h/d.mp4\r\n",
                ["/f/a b.mp4", "/x/c.mp4", "https://h/d.mp4"]
            ),
            ("a.mp4\rb.mp4\n  c.mp4  ", ["/f/a.mp4", "/f/b.mp4", "/f/c.mp4"]),
            (
                "[playlist]\nFile2=http://h/b=c.mp4\nFile1=a.mp4\nTitle1=A\nNumberOfEntries=2\n",
                ["/f/a.mp4", "http://h/b=c.mp4"]
            ),
            ("[Playlist]\r\nfile10=z.mp4\r\nFile9=y.mp4\r\nLength9=4\r\n", ["/f/y.mp4", "/f/z.mp4"]),
            // Only CR and LF end a line, and only blanks are removed.
            ("a\u{2028}b\u{85}c.mp4\n\u{A0}d.mp4\t", ["/f/a\u{2028}b\u{85}c.mp4", "/f/\u{A0}d.mp4"]),
            ("[playlist]\nFile1= \u{85}a\u{B}b.mp4", ["/f/\u{85}a\u{B}b.mp4"]),
            ("", []), ("#EXTM3U\n", []), ("[playlist]\nFile1=\nFileX=a\nFile", []),
        ] as [(String, [String])]
    )
    func entries(text: String, expected: [String]) throws {
        #expect(try arguments(Array(text.utf8)) == expected)
    }

    @Test(
        "#EXTINF and Length declare durations",
        arguments: [
            ("#EXTINF:2.5,A\na.png\nb.png", ["2.5", nil]), ("#EXTINF:-1,A\na.png", [nil]),
            ("#EXTINF:0,A\na.png", [nil]), ("#EXTINF: 12 tvg-id=\"x\",A\na.png", ["12"]),
            ("[playlist]\nFile1=a.png\nLength1=7\nFile2=b.png\nLength2=-1", ["7", nil]),
        ] as [(String, [String?])]
    )
    func durations(text: String, expected: [String?]) throws {
        let durations = try PlaylistFile(Array(text.utf8)).entries.map { $0.duration.flatMap(decimalSeconds) }
        #expect(durations == expected)
    }

    @Test("A name is used as it is written, otherwise decoded, otherwise with slashes")
    func names() throws {
        let text = Array("a%20b.mp4\nc\\d.mp4".utf8)
        #expect(try arguments(text) == ["/f/a%20b.mp4", "/f/c\\d.mp4"])
        #expect(try arguments(text, existing: ["/f/a b.mp4", "/f/c/d.mp4"]) == ["/f/a b.mp4", "/f/c/d.mp4"])
        #expect(try arguments(text, existing: ["/f/a%20b.mp4", "/f/a b.mp4"]).first == "/f/a%20b.mp4")
    }

    @Test("ISO 8859-1 is read")
    func latin1() throws {
        #expect(try arguments([0xE9, 0x2E, 0x6D, 0x70, 0x34]) == ["/f/é.mp4"])
        // An ellipsis in Windows-1252.
        #expect(try arguments([0x85, 0x61, 0x85, 0x62]) == ["/f/\u{85}a\u{85}b"])
    }

    @Test(
        "The name of a playlist has an extension",
        arguments: [
            ("a.m3u", true), ("/x/A.b.M3U8", true), ("a.pls", true), (".m3u", true), ("m3u", false),
            ("/x.m3u/pls", false), ("am3u", false), ("a.m3u.", false), ("", false),
        ]
    )
    func extensions(name: String, isPlaylist: Bool) {
        #expect(PlaylistFile.isPlaylist(name: name) == isPlaylist)
    }

    @Test("An HLS presentation, and more than 4 MiB, are no list")
    func refusals() {
        #expect(throws: PlaylistFile.Failure.self) {
            try PlaylistFile(Array("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\na.ts\n".utf8))
        }
        #expect(throws: PlaylistFile.Failure.self) {
            try PlaylistFile([UInt8](repeating: 10, count: 5 << 20))
        }
    }

    @Test("Playlists contain playlists and folders, and those that contain themselves end")
    func nested() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "vplay-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func write(_ name: String, _ text: String) throws {
            try Data(text.utf8).write(to: folder.appendingPathComponent(name))
        }
        try write("a.m3u", "one.mp4\nb.pls\ntwo.mp4\nmissing.m3u\nempty.m3u\n")
        try write("b.pls", "[playlist]\nFile1=three.mp4\nFile2=a.m3u\n")
        try write("empty.m3u", "")
        try write("live.m3u8", "#EXTM3U\n#EXT-X-VERSION:3\n")
        let list = InputList([folder.path + "/a.m3u", folder.path + "/live.m3u8"])
        let names = list.inputs.map { $0.url.lastPathComponent }
        #expect(names == ["one.mp4", "three.mp4", "two.mp4", "live.m3u8"])
        #expect(list.problems.count == 3, "\(list.problems)")
        #expect(list.problems.contains { $0.hasSuffix("a.m3u: the playlist contains itself") })
        #expect(list.inputs.map(\.rank) == list.inputs.map(\.rank).sorted())
    }
}
