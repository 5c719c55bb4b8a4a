import AVFoundation
import MediaCore
import TestSupport
import Testing

@Suite("Cover pictures")
struct ArtworkTests {
    @Test(
        "The cover of an audio file is metadata with the bytes of its image file, and no track",
        arguments: [
            ("a.mp3", "-c:a libmp3lame"), ("a.m4a", "-c:a aac"), ("a.mp4", "-c:a aac"),
            ("a.flac", "-c:a flac"),
        ]
    )
    func cover(name: String, options: String) async throws {
        let folder = try TemporaryFolder()
        for picture in ["cover.png", "cover.jpg"] {
            let (cover, path) = (folder.path(picture), folder.path("\(picture)-\(name)"))
            try ffmpeg("-f lavfi -i testsrc2=size=64x48:rate=1:duration=1 -frames:v 1 '\(cover)'")
            try ffmpeg(
                "-f lavfi -i sine=duration=1 -i '\(cover)' -map 0 -map 1 -metadata title=Song -c:v copy "
                    + "-disposition:v attached_pic \(options) '\(path)'"
            )
            let expected = try Data(contentsOf: URL(fileURLWithPath: cover))
            let asset = AVURLAsset(url: URL(fileURLWithPath: path))
            let metadata = try await asset.load(.commonMetadata)
            let artworks = AVMetadataItem.metadataItems(
                from: metadata,
                filteredByIdentifier: .commonIdentifierArtwork
            )
            #expect(artworks.map(\.dataValue) == [expected], "\(picture) in \(name)")
            let artwork = try #require(artworks.first)
            #expect(artwork.commonKey == .commonKeyArtwork && artwork.keySpace == .common)
            #expect(artwork.value is NSData && artwork.stringValue == nil)
            #expect(try await artwork.load(.dataValue) == expected)
            #expect(
                AVMetadataItem.metadataItems(
                    from: metadata,
                    withKey: AVMetadataKey.commonKeyArtwork,
                    keySpace: .common
                ) == [artwork]
            )
            #expect(asset.metadata.filter { $0.commonKey == .commonKeyArtwork }.count == 1)
            #expect(metadata.first { $0.commonKey == .commonKeyTitle }?.stringValue == "Song")
            #expect(asset.tracks.map(\.mediaType) == [.audio])
            #expect(asset.tracks(withMediaType: .video).isEmpty)
        }
    }

    private func ffmpeg(_ arguments: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "exec ffmpeg -nostdin -v error -y \(arguments)"]
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }

    @Test("A file without a cover has no such entry")
    func none() {
        let asset = AVURLAsset(url: Fixture.url("tone-44100.m4a"))
        #expect(asset.commonMetadata.allSatisfy { $0.commonKey != .commonKeyArtwork })
        #expect(asset.tracks.map(\.mediaType) == [.audio])
    }
}
