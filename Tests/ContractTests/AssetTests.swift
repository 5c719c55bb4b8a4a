import Foundation
import Playhead
import PlayheadTesting
import TestSupport
import Testing

@Suite("Contract: assets, their tracks, and the read-ahead limit")
struct AssetTests {
    @Test("Loading opens the asset once for all callers, reports its properties, and keeps them")
    func load() async throws {
        let scripts = ScriptedBackend(driver: ManualDriver())
        let asset = scripts.makeAsset(.silentClip())
        #expect(asset.status == .unknown)
        #expect(asset.duration == .indefinite)
        #expect(asset.tracks.isEmpty)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { try await asset.load() } }
            try await group.waitForAll()
        }
        try await asset.load()
        #expect(scripts.opened == ["/script-1"])
        #expect(asset.status == .loaded)
        #expect(asset.duration == .ms(2000))
        #expect(asset.tracks.map(\.mediaType) == [.video])
        asset.cancelLoading()
        #expect(asset.status == .loaded)
    }

    @Test(
        "An asset that cannot be opened throws its error on each load, and a cancelled asset throws as well"
    )
    func failures() async {
        let scripts = ScriptedBackend(driver: ManualDriver())
        let broken = scripts.makeAsset(.silentClip([.openFails(.unrecognizedFormat)]))
        for _ in 0..<2 {
            await #expect { try await broken.load() } throws: {
                ($0 as? PlaybackError)?.message == "/script-1: opening fails as requested by the script"
            }
        }
        #expect(broken.status == .failed)
        let given = scripts.makeAsset(.silentClip())
        given.cancelLoading()
        #expect(given.status == .cancelled)
        await #expect { try await given.load() } throws: { ($0 as? PlaybackError)?.code == .cancelled }
        #expect(scripts.opened == ["/script-1"])
    }

    @Test(
        "Two audio tracks form one group with languages; the default, the selected one or none of them plays",
        .enabled(if: Fixture.areThere, "make fixtures")
    )
    func groups() async throws {
        let asset = Asset(url: Fixture.url("two-languages.mkv"))
        #expect(asset.mediaSelectionGroup(for: .audible) == nil)
        try await asset.load()
        let group = try #require(asset.mediaSelectionGroup(for: .audible))
        #expect(group.options.map(\.language) == ["eng", "deu"])
        #expect(group.options.allSatisfy { $0.mediaType == .audio && $0.isPlayable })
        #expect(group.defaultOption == group.options[0])
        #expect(group.options(withLanguage: "de") == [group.options[1]])
        #expect(asset.mediaSelectionGroup(for: .visual)?.options.count == 1)
        #expect(asset.mediaSelectionGroup(for: .visual)?.options.map(\.mediaType) == [.video])
        // An option is named by its title, then by its language, then by its number.
        #expect(group.options.map(\.displayName) == group.options.map { $0.track.title ?? $0.language ?? "" })
        #expect(group.options.allSatisfy { $0.hasMediaCharacteristic(.audible) })
        #expect(group.options.allSatisfy { !$0.hasMediaCharacteristic(.legible) })

        let item = PlayerItem(asset: asset)
        #expect(item.selectedMediaOption(in: group) == group.options[0])
        item.select(group.options[1], in: group)
        #expect(item.selectedMediaOption(in: group) == group.options[1])
        // Selecting an option of another asset changes nothing.
        let visual = try #require(asset.mediaSelectionGroup(for: .visual))
        item.select(visual.options[0], in: group)
        #expect(item.selectedMediaOption(in: group) == group.options[1])
        item.select(nil, in: group)
        #expect(item.selectedMediaOption(in: group) == nil)
        item.selectMediaOptionAutomatically(in: group)

        var configuration = Player.Configuration()
        configuration.clock = .virtual
        let player = Player(configuration: configuration)
        let events = player.events
        player.replaceCurrentItem(with: item)
        for await event in events { if case .readyForDisplayChanged = event { break } }
        #expect(item.tracks.filter { $0.assetTrack.mediaType == .audio }.map(\.isEnabled) == [true, false])
        await player.shutdown()
    }

    @Test("An option reports its media type, its name, and whether it can be played")
    func options() async throws {
        var media = ScriptedMedia.clip([.noDecoder(.audio)])
        media.cues = [.init("words", from: 0, to: 500), .init("Worte", from: 0, to: 500, track: 3)]
        let asset = ScriptedBackend(driver: ManualDriver()).makeAsset(media)
        try await asset.load()
        let options = [MediaCharacteristic.visual, .audible, .legible].compactMap(asset.mediaSelectionGroup)
            .flatMap(\.options)
        #expect(options.map(\.mediaType) == [.video, .audio, .subtitle, .subtitle])
        #expect(options.map(\.displayName) == ["track 0", "track 1", "eng", "deu"])
        #expect(options.map(\.language) == [nil, nil, "eng", "deu"])
        #expect(options.map(\.isPlayable) == [true, false, true, true])
        #expect(asset.mediaSelectionGroup(for: .audible)?.defaultOption == nil)
        #expect(asset.mediaSelectionGroup(for: .legible)?.defaultOption == nil)
        #expect(asset.mediaSelectionGroup(for: .visual)?.defaultOption == options[0])
    }

    @Test(
        "An item with a small preferred read-ahead buffers little, and another item uses the player's limit"
    )
    func readAhead() throws {
        func loadedEnd(_ seconds: Double) throws -> MediaTime {
            let bench = PlayerTestBench(.silentClip())
            let item = bench.makeItem(ScriptedMedia(video: .init(frameCount: 1000, frameRate: 25)))
            item.preferredForwardBufferDuration = seconds
            bench.player.replaceCurrentItem(with: item)
            bench.driver.run(seconds: 5)
            #expect(item.isPlaybackBufferFull)
            return try #require(item.loadedTimeRanges.first).end
        }
        // A packet is read whole, and packets being decoded are no longer counted, so a few more frames are allowed.
        let usual = Player.Configuration().buffering.forwardDuration / .seconds(1)
        for (asked, seconds) in [(0.2, 0.2), (0, usual), (10, 10)] {
            let ahead = try loadedEnd(asked).seconds
            #expect(ahead >= seconds && ahead <= seconds + 0.12, "\(asked)")
        }
    }

    @Test(
        "A read-ahead limit that is set during playback applies at once, and so does its reset to the player's"
    )
    func readAheadWhilePlaying() throws {
        let bench = PlayerTestBench(.silentClip())
        let item = bench.load(ScriptedMedia(video: .init(frameCount: 1000, frameRate: 25)))
        bench.player.play()
        bench.driver.run(seconds: 2)
        item.preferredForwardBufferDuration = 10
        bench.driver.run(seconds: 1)
        let far = try #require(item.loadedTimeRanges.first).end.seconds
        #expect(far >= 12.5 && far <= 13.3)
        item.preferredForwardBufferDuration = 0
        bench.driver.run(seconds: 11)
        let near = try #require(item.loadedTimeRanges.first).end.seconds
        #expect(near >= 14.5 && near <= 15.3)
        #expect(bench.videoSink.numbers == Array(0...350))
    }

    @Test(
        "Types with known containers and codecs are playable, others are not",
        arguments: [
            ("video/mp4", true), ("VIDEO/MP4; codecs=\"avc1.42E01E, mp4a.40.2\"", true),
            ("video/webm; codecs=vp9,opus", true), ("video/mp4; codecs='hvc1.1.6.L93.B0'; profiles=x", true),
            ("audio/mpeg", true), ("audio/mp4; codecs=\"mp4a.6B\"", true), ("audio/wav; codecs=1", true),
            ("video/mp4;", true), ("video/mp4; codecs=\"avc1.42E01E, nosuch\"", false),
            ("audio/mp4; codecs=\"mp4a.99\"", false), ("text/html", false), ("video", false), ("", false),
            ("video/mp4; nonsense", false), ("application/vnd.ms-asf", false),
            ("application/vnd.apple.mpegurl", true), ("audio/mpegurl; codecs=\"mp4a.40.2\"", true),
            ("application/x-mpegURL; codecs=\"avc1.42E01E, nosuch\"", false),
        ]
    )
    func types(_ type: String, _ isPlayable: Bool) {
        #expect(Asset.isPlayableExtendedMIMEType(type) == isPlayable)
    }

    @Test("Playable formats are listed, without those that open devices, networks or other files")
    func lists() {
        #expect(
            Set(["mov", "matroska", "mpegts", "mp3", "wav", "srt"]).isSubset(of: Asset.playableContainers)
        )
        #expect(Set(["h264", "hevc", "vp9", "aac", "opus", "subrip"]).isSubset(of: Asset.playableCodecs))
        // Formats that open devices, networks or other files are never listed.
        #expect(Set(["concat", "rtsp", "hls", "v4l2", "image2"]).isDisjoint(with: Asset.playableContainers))
        #expect(
            Set(["video/mp4", "application/vnd.apple.mpegurl"]).isSubset(of: Asset.audiovisualMIMETypes)
        )
        for type in Asset.audiovisualMIMETypes { #expect(Asset.isPlayableExtendedMIMEType(type)) }
        #expect(Asset.playableCodecs == Asset.playableCodecs.sorted())
    }
}
