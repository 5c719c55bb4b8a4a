import Foundation
import Playhead
import PlayheadBackend
import PlayheadTesting
import TestSupport
import Testing

@Suite("Contract: tracks selected by preference")
struct MediaSelectionCriteriaTests {
    @Test(
        "The preferred language plays, and an explicit selection applies until it is withdrawn",
        .enabled(if: Fixture.areThere, "make fixtures")
    )
    func audio() async throws {
        var configuration = Player.Configuration()
        configuration.clock = .virtual
        let player = Player(configuration: configuration)
        #expect(player.appliesMediaSelectionCriteriaAutomatically)
        let german = PlayerMediaSelectionCriteria(preferredLanguages: ["fr", "de-CH", "en"])
        player.setMediaSelectionCriteria(german, forMediaCharacteristic: .audible)
        #expect(player.mediaSelectionCriteria(forMediaCharacteristic: .audible) == german)
        #expect(player.mediaSelectionCriteria(forMediaCharacteristic: .legible) == nil)
        let item = PlayerItem(url: Fixture.url("two-languages.mkv"))
        try await item.asset.load()
        let group = try #require(item.asset.mediaSelectionGroup(for: .audible))
        #expect(item.selectedMediaOption(in: group) == group.options[0])

        /// Returns which audio tracks are enabled after an event that `action` causes satisfies `isDone`.
        func playing(
            until isDone: (PlayerEvent) -> Bool,
            _ action: () -> Void
        ) async -> [Bool] {
            let events = player.events
            action()
            for await event in events where isDone(event) { break }
            return item.tracks.filter { $0.assetTrack.mediaType == .audio }.map(\.isEnabled)
        }
        let ready: (PlayerEvent) -> Bool = { if case .readyForDisplayChanged = $0 { true } else { false } }
        let chosen: (PlayerEvent) -> Bool = { if case .mediaSelectionChanged = $0 { true } else { false } }
        #expect(await playing(until: ready) { player.replaceCurrentItem(with: item) } == [false, true])
        #expect(item.selectedMediaOption(in: group) == group.options[1])
        #expect(item.mediaSelectionCriteriaCanBeAppliedAutomatically(in: group))

        #expect(await playing(until: chosen) { item.select(group.options[0], in: group) } == [true, false])
        #expect(!item.mediaSelectionCriteriaCanBeAppliedAutomatically(in: group))
        #expect(
            await playing(until: chosen) { item.selectMediaOptionAutomatically(in: group) } == [false, true]
        )
        // Once the criteria are switched off, the container's default applies at once.
        #expect(
            await playing(until: chosen) { player.appliesMediaSelectionCriteriaAutomatically = false }
                == [true, false]
        )
        #expect(item.selectedMediaOption(in: group) == group.options[0])
        await player.shutdown()
    }

    @Test("Matching subtitles are delivered automatically, others are not, and none are without criteria")
    func subtitles() throws {
        let clip = ScriptedMedia(
            video: .init(frameCount: 50, frameRate: 25, keyInterval: 10),
            cues: [.init("one", from: 0, to: 1900), .init("eins", from: 0, to: 1900, track: 3)]
        )
        for (languages, texts) in [(["fr", "ger"], ["eins"]), (["fr"], []), ([], []), (["en"], ["one"])] {
            let bench = PlayerTestBench(.silentClip())
            bench.player.setMediaSelectionCriteria(
                PlayerMediaSelectionCriteria(preferredLanguages: languages),
                forMediaCharacteristic: .legible
            )
            let item = bench.makeItem(clip)
            let output = LegibleOutput()
            item.add(output)
            bench.player.replaceCurrentItem(with: item)
            bench.driver.run(seconds: 0)
            #expect(output.cues(forItemTime: .ms(100)).map(\.text) == texts)
            let group = try #require(item.asset.mediaSelectionGroup(for: .legible))
            #expect(
                item.selectedMediaOption(in: group)?.language
                    == (texts.first.map { $0 == "one" ? "eng" : "deu" })
            )
            // The preferences change during playback.
            bench.player.play()
            bench.player.setMediaSelectionCriteria(
                PlayerMediaSelectionCriteria(preferredLanguages: ["en"]),
                forMediaCharacteristic: .legible
            )
            bench.driver.run(seconds: 0.5)
            #expect(output.cues(forItemTime: .ms(100)).map(\.text) == ["one"])
            item.select(nil, in: group)
            bench.driver.run(seconds: 60)
            #expect(bench.videoSink.numbers == Array(0..<50))
        }
    }

    @Test("Options are sorted by preferred languages, and within a language by preferred regions")
    func sorting() async throws {
        var description = MediaDescription(formatName: "x")
        description.tracks = ["pt-PT", "en-AU", "en-GB", "pt-BR", "en-US"].enumerated()
            .map { index, language in
                var track = Track(id: index, mediaType: .audio, codec: "x", timeBase: Rational(1, 1))
                track.language = language
                return track
            }
        let asset = Asset(url: URL(fileURLWithPath: "/x"), backend: Described(description))
        try await asset.load()
        let options = try #require(asset.mediaSelectionGroup(for: .audible)).options
        func sorted(_ languages: [String]) -> [Int] {
            options.sorted(byPreferredLanguages: languages).map(\.track.id)
        }
        #expect(sorted(["pt-BR"]) == [3, 0])
        #expect(sorted(["en-US", "pt", "en-GB"]) == [4, 2, 1, 0, 3])
        #expect(sorted(["fr"]) == [])
    }

    @Test("Options match a language in any code, and match by their characteristics")
    func filters() async throws {
        let languages = ["ger", "deu", "DE", "fre", "por", "eng", nil, "es-MX"]
        var description = MediaDescription(formatName: "x")
        description.tracks = languages.enumerated().map { index, language in
            var track = Track(id: index, mediaType: .audio, codec: "x", timeBase: Rational(1, 1))
            track.language = language
            if language == "eng" { track.dispositions = ["visual_impaired", "default"] }
            return track
        }
        let asset = Asset(url: URL(fileURLWithPath: "/x"), backend: Described(description))
        try await asset.load()
        let group = try #require(asset.mediaSelectionGroup(for: .audible))
        func found(_ language: String) -> [Int] { group.options(withLanguage: language).map(\.track.id) }
        #expect(found("de") == [0, 1, 2] && found("ger") == [0, 1, 2] && found("de-AT") == [0, 1, 2])
        #expect(found("fra") == [3] && found("pt-BR") == [4] && found("xyz") == [])
        #expect(group.options(with: [.describesVideoForAccessibility]).map(\.track.id) == [5])
        #expect(group.options(with: [.isMainProgramContent, .audible]).map(\.track.id) == [5])
        #expect(found("es") == [7] && found("spa") == [7] && found("es-ES") == [7])
        let sorted = group.options.sorted(byPreferredLanguages: ["es-ES", "de", "por"])
        #expect(sorted.map(\.track.id) == [7, 0, 1, 2, 4])
        #expect(group.options(with: [.legible]).isEmpty)
        #expect(asset.mediaSelectionGroup(for: .isMainProgramContent) == nil)
    }
}

/// A demuxer that opens every source with one description and cannot read anything.
private struct Described: MediaBackend {
    let description: MediaDescription
    init(_ description: MediaDescription) { self.description = description }

    func makeDemuxer(for request: OpenRequest) -> any Demuxer { Opened(description) }
    func makeVideoConverter() -> any VideoConverter { inner.makeVideoConverter() }
    func makeAudioConverter(to format: AudioFormat) -> any AudioConverter {
        inner.makeAudioConverter(to: format)
    }
    private var inner: ScriptedBackend { ScriptedBackend(ScriptedMedia(), driver: ManualDriver()) }

    private final class Opened: Demuxer {
        let description: MediaDescription
        init(_ description: MediaDescription) { self.description = description }
        func open() throws(MediaError) -> Poll<MediaDescription> { .ready(description) }
        func setEnabledTracks(_ ids: Set<Int>) {}
        func read() throws(MediaError) -> Poll<Packet?> { .ready(nil) }
        func seek(to target: MediaTime, preference: SeekPreference) throws(MediaError) -> Poll<Void> {
            .ready(())
        }
        func makeDecoder(for track: Int, options: DecoderOptions) throws(MediaError) -> Poll<any Decoder> {
            throw MediaError(.decoderNotFound, "no decoder")
        }
        func cancel() {}
    }
}
