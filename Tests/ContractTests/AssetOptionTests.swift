import Foundation
import Playhead
import PlayheadTesting
import TestSupport
import Testing

@Suite(
    "Contract: fragments, and overriding the detected media type",
    .enabled(if: Fixture.areThere, "make fixtures")
)
struct AssetOptionTests {
    @Test(
        "An asset reports whether it can contain fragments, whether it contains them, and their total duration"
    )
    func fragments() async throws {
        let names = ["clip-h264-aac.mp4", "clip-moov-at-end.mp4", "clip-h264-aac.ts", "clip-fragmented.mp4"]
        for name in names {
            let asset = Asset(url: Fixture.url(name))
            #expect(!asset.canContainFragments && !asset.containsFragments)
            try await asset.load()
            let isFragmented = name == "clip-fragmented.mp4"
            #expect(asset.canContainFragments == isFragmented, "\(name)")
            #expect(asset.containsFragments == isFragmented, "\(name)")
            #expect(asset.overallDurationHint == .invalid, "\(name)")
        }
    }

    @Test(
        "The duration hint of the header is reported with and without a following fragment",
        arguments: [false, true]
    )
    func durationHint(isCut: Bool) async throws {
        var bytes = [UInt8](try Data(contentsOf: Fixture.url("clip-fragmented.mp4")))
        let mvex = try #require(offset(of: "mvex", in: bytes))
        let moov = try #require(offset(of: "moov", in: bytes))
        let moof = try #require(offset(of: "moof", in: bytes))
        if isCut { bytes.removeSubrange(moof...) }
        // The duration is 7500 ticks in the clip's timescale of 1000.
        bytes.insert(
            contentsOf: [0, 0, 0, 16] + Array("mehd".utf8) + [0, 0, 0, 0, 0, 0, 0x1D, 0x4C],
            at: mvex + 8
        )
        for box in [mvex, moov] {
            let length = bytes[box..<box + 4].reduce(0) { $0 << 8 | Int($1) } + 16
            for index in 0..<4 { bytes[box + index] = UInt8(length >> (24 - 8 * index) & 0xFF) }
        }
        let folder = try TemporaryFolder()
        try folder.write("fragments.mp4", bytes)
        let asset = Asset(url: folder.file("fragments.mp4"))
        try await asset.load()
        #expect(asset.canContainFragments)
        #expect(asset.containsFragments == !isCut)
        #expect(asset.overallDurationHint == .ms(7500))
    }

    /// Returns the offset of a box's first byte.
    private func offset(of name: String, in bytes: [UInt8]) -> Int? {
        let name = Array(name.utf8)
        return (4..<bytes.count - 4).first { Array(bytes[$0..<$0 + 4]) == name }.map { $0 - 4 }
    }

    @Test("An explicit media type takes precedence over the bytes and the file extension")
    func type() async throws {
        let playlists = try Playlists()
        let hidden = playlists.url("list.txt")
        try FileManager.default.copyItem(at: playlists.master, to: hidden)
        await #expect { try await Asset(url: hidden).load() } throws: {
            ($0 as? PlaybackError)?.code == .unrecognizedFormat
        }
        func open(_ url: URL, _ type: String) async throws -> MediaDescription? {
            let asset = Asset(url: url, options: AssetOptions(overrideMIMEType: type))
            try await asset.load()
            return asset.media
        }
        let playlist = try await open(hidden, "application/vnd.apple.mpegurl; charset=utf-8")
        #expect(playlist?.formatName == "hls")
        #expect(playlist?.variants.count == 3)
        let stream = Fixture.url("clip-h264-aac.ts")
        #expect(try await open(stream, "video/MP2T")?.formatName == "mpegts")
        for type in ["video/webm", "video/x-no-such-thing", "", "concat"] {
            await #expect { _ = try await open(stream, type) } throws: {
                ($0 as? PlaybackError)?.code == .unrecognizedFormat
            }
        }
    }
}
