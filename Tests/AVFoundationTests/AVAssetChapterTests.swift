import AVFoundation
import MediaCore
import PlayheadTesting
import Testing

@Suite("AVAsset: chapters")
struct AVAssetChapterTests {
    private static func asset(_ chapters: [Chapter]) -> AVURLAsset {
        var media = ScriptedMedia.silentClip()
        media.chapters = chapters
        let bench = AdapterBench(media)
        return bench.make { AVURLAsset(url: bench.url) }
    }

    @Test("Chapters are loaded for the locale that the asset lists, and for any language")
    func loading() async throws {
        let asset = Self.asset([
            Chapter(title: "Start", timeRange: MediaTimeRange(start: .zero, duration: .ms(700))),
            Chapter(title: nil, timeRange: MediaTimeRange(start: .ms(700), duration: .ms(1300))),
        ])
        let locales = try await asset.load(.availableChapterLocales)
        #expect(locales == [Locale(identifier: "und")])
        let locale = try #require(locales.first)
        let groups = try await asset.loadChapterMetadataGroups(withTitleLocale: locale)
        #expect(groups.map { $0.items.first?.stringValue } == ["Start", nil])
        #expect(groups.map { $0.timeRange.start.seconds } == [0, 0.7])
        let german = try await asset.loadChapterMetadataGroups(bestMatchingPreferredLanguages: ["de"])
        #expect(german.map(\.items) == groups.map(\.items))
        let read = asset.chapterMetadataGroups(
            withTitleLocale: locale,
            containingItemsWithCommonKeys: [.commonKeyArtwork]
        )
        #expect(read.map(\.items) == groups.map(\.items))
    }

    @Test("An asset without chapters lists no locale")
    func none() async throws {
        let asset = Self.asset([])
        #expect(try await asset.load(.availableChapterLocales).isEmpty)
        #expect(try await asset.loadChapterMetadataGroups(bestMatchingPreferredLanguages: []).isEmpty)
    }
}
