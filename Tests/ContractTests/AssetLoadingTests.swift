import Foundation
import Playhead
import PlayheadTesting
import TestSupport
import Testing

@Suite("Contract: loading properties of an asset by name")
struct AssetLoadingTests {
    @Test(
        "Loading one property returns one value, several return a tuple in order, and all share one opening"
    )
    func properties() async throws {
        let scripts = ScriptedBackend(driver: ManualDriver())
        let asset = scripts.makeAsset(.clip())
        guard case .notYetLoaded = asset.status(of: .duration) else {
            Issue.record("loaded")
            return
        }
        #expect(!asset.isPlayable && !asset.isReadable && !asset.hasProtectedContent)
        let duration = try await asset.load(.duration)
        #expect(duration == .ms(2000))
        let (again, tracks) = try await asset.load(.duration, .tracks)
        #expect(again == .ms(2000) && tracks.map(\.mediaType) == [.video, .audio])
        let (isPlayable, isReadable, isProtected, metadata, chapters, kinds) = try await asset.load(
            .isPlayable,
            .isReadable,
            .hasProtectedContent,
            .metadata,
            .chapters,
            .availableMediaCharacteristicsWithMediaSelectionOptions
        )
        #expect(isPlayable && isReadable && !isProtected && metadata.isEmpty && chapters.isEmpty)
        #expect(kinds == [.audible, .visual])
        let (isPrecise, mayGrow, hasGrown, hint) = try await asset.load(
            .providesPreciseDurationAndTiming,
            .canContainFragments,
            .containsFragments,
            .overallDurationHint
        )
        #expect(isPrecise && !mayGrow && !hasGrown && hint == .invalid)
        guard case .loaded(.ms(2000)) = asset.status(of: .duration) else {
            Issue.record("not loaded")
            return
        }
        #expect(scripts.opened == ["/script-1"])
    }

    @Test(
        "Tracks are selected by media type, by characteristic and by track ID; selection groups list their options"
    )
    func tracks() async throws {
        var media = ScriptedMedia.clip()
        media.cues = [.init("words", from: 0, to: 500)]
        let scripts = ScriptedBackend(driver: ManualDriver())
        let asset = scripts.makeAsset(media)
        #expect(asset.tracks(withMediaType: .video).isEmpty)
        #expect(try await asset.loadTracks(withMediaType: .audio).map(\.id) == [ScriptedMedia.audioTrack])
        #expect(try await asset.loadTracks(withMediaType: .data).isEmpty)
        #expect(try await asset.loadTracks(withMediaCharacteristic: .legible).map(\.id) == [2])
        #expect(try await asset.loadTrack(withTrackID: 0)?.mediaType == .video)
        #expect(try await asset.loadTrack(withTrackID: 9) == nil)
        #expect(try await asset.loadMediaSelectionGroup(for: .audible)?.options.count == 1)
        #expect(asset.tracks(withMediaType: .video).map(\.id) == [0])
    }

    @Test(
        "Loading any property of an asset that cannot be opened throws the error of load(); its status is failed"
    )
    func failures() async throws {
        let scripts = ScriptedBackend(driver: ManualDriver())
        let broken = scripts.makeAsset(.silentClip([.openFails(.unrecognizedFormat)]))
        await #expect { _ = try await broken.load(.isPlayable) } throws: {
            ($0 as? PlaybackError)?.code == .unrecognizedFormat
        }
        await #expect(throws: PlaybackError.self) { try await broken.load(.duration, .tracks) }
        await #expect(throws: PlaybackError.self) { try await broken.loadTracks(withMediaType: .video) }
        guard case .failed(let error) = broken.status(of: .tracks) else {
            Issue.record("no failure")
            return
        }
        #expect(error.code == .unrecognizedFormat)
        #expect(!broken.isPlayable && !broken.isReadable)
    }

    @Test("An asset is playable if it has a video or audio track that can be played")
    func playable() async throws {
        let scripts = ScriptedBackend(driver: ManualDriver())
        let lost: [(ScriptedMedia, Bool)] = [
            (.clip([.noDecoder(.video)]), true), (.silentClip([.noDecoder(.video)]), false),
            (ScriptedMedia(cues: [.init("words", from: 0, to: 500)]), false),
        ]
        for (media, expected) in lost {
            #expect(try await scripts.makeAsset(media).load(.isPlayable) == expected)
        }
    }

    @Test(
        "A file with encrypted tracks reports protected content and is not playable",
        .enabled(if: Fixture.areThere, "make fixtures")
    )
    func encrypted() async throws {
        let plain = Asset(url: Fixture.url("clip-h264-aac.mp4"))
        let answers = try await plain.load(.hasProtectedContent, .isPlayable, .isReadable)
        #expect(answers == (false, true, true))
        // Only the names of its sample entries declare the encryption.
        var bytes = try Data(contentsOf: Fixture.url("clip-h264-aac.mp4"))
        for (name, protected) in [("avc1", "encv"), ("mp4a", "enca")] {
            while let range = bytes.firstRange(of: Data(name.utf8)) {
                bytes.replaceSubrange(range, with: Data(protected.utf8))
            }
        }
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("encrypted.mp4")
        try bytes.write(to: url)
        let asset = Asset(url: url)
        let (isProtected, isPlayable, tracks) = try await asset.load(
            .hasProtectedContent,
            .isPlayable,
            .tracks
        )
        #expect(isProtected && !isPlayable)
        #expect(tracks.allSatisfy { $0.hasProtectedContent && !$0.isPlayable })
    }
}
