import CoreMedia
public import Foundation
import MediaCore
import Playhead

/// Chapters of the container. Each has one title, whose language is not declared.
extension AVAsset {
    /// The locales of the titles: `Locale(identifier: "und")` alone, or none without chapters. Blocks until the asset is
    /// loaded.
    public var availableChapterLocales: [Locale] {
        loaded(\.chapters).isEmpty ? [] : [Locale(identifier: "und")]
    }

    /// Returns the chapters. Blocks until the asset is loaded.
    ///
    /// - Parameter preferredLanguages: Has no effect: chapters have one title.
    /// - Returns: A group with the title for each chapter.
    public func chapterMetadataGroups(
        bestMatchingPreferredLanguages preferredLanguages: [String]
    ) -> [AVTimedMetadataGroup] {
        loaded(\.chapters).map { chapter in
            AVTimedMetadataGroup(
                items: chapter.title.map { [AVMetadataItem("title", $0, in: .common)] } ?? [],
                timeRange: CMTimeRange(chapter.timeRange)
            )
        }
    }

    /// Returns the chapters. Blocks until the asset is loaded.
    ///
    /// - Parameters:
    ///   - locale: Has no effect: chapters have one title.
    ///   - commonKeys: Has no effect: chapters have titles alone.
    /// - Returns: A group with the title for each chapter.
    public func chapterMetadataGroups(
        withTitleLocale locale: Locale,
        containingItemsWithCommonKeys commonKeys: [AVMetadataKey]?
    ) -> [AVTimedMetadataGroup] { chapterMetadataGroups(bestMatchingPreferredLanguages: []) }

    /// Loads the asset, and returns the chapters.
    ///
    /// - Parameter preferredLanguages: Has no effect: chapters have one title.
    /// - Returns: A group with the title for each chapter.
    /// - Throws: `AVError` if the asset cannot be loaded.
    public func loadChapterMetadataGroups(
        bestMatchingPreferredLanguages preferredLanguages: [String]
    ) async throws -> [AVTimedMetadataGroup] {
        try await loadAllProperties()
        return chapterMetadataGroups(bestMatchingPreferredLanguages: preferredLanguages)
    }

    /// Loads the asset, and returns the chapters.
    ///
    /// - Parameters:
    ///   - locale: Has no effect: chapters have one title.
    ///   - commonKeys: Has no effect: chapters have titles alone.
    /// - Returns: A group with the title for each chapter.
    /// - Throws: `AVError` if the asset cannot be loaded.
    public func loadChapterMetadataGroups(
        withTitleLocale locale: Locale,
        containingItemsWithCommonKeys commonKeys: [AVMetadataKey] = []
    ) async throws -> [AVTimedMetadataGroup] {
        try await loadChapterMetadataGroups(bestMatchingPreferredLanguages: [])
    }
}

extension AVPartialAsyncProperty where Root: AVAsset {
    /// The property for `AVAsset.availableChapterLocales`.
    public static var availableChapterLocales: AVAsyncProperty<Root, [Locale]> {
        AVAsyncProperty("availableChapterLocales") { $0.availableChapterLocales }
    }
}
