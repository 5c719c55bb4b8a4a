import Foundation
import MediaCore
import Playhead

/// Metadata of the container.
extension AVAsset {
    /// The entries of the container, sorted by FFmpeg's names, followed by the attached pictures. Blocks until the asset is
    /// loaded.
    public var metadata: [AVMetadataItem] {
        loaded(\.metadata).map { AVMetadataItem($0.key, $0.value) } + artworks(in: .ffmpeg)
    }

    private func artworks(in space: AVMetadataKeySpace) -> [AVMetadataItem] {
        loaded(\.tracks).compactMap(\.attachedPictureData).map {
            AVMetadataItem(artwork: Data($0), in: space)
        }
    }

    /// The entries with keys that all containers have in common. Blocks until the asset is loaded.
    public var commonMetadata: [AVMetadataItem] {
        loaded(\.metadata).filter { AVMetadataKey.common(for: $0.key) != nil }
            .map { AVMetadataItem($0.key, $0.value, in: .common) } + artworks(in: .common)
    }

    /// The entry with the date of creation, or nil. Blocks until the asset is loaded.
    public var creationDate: AVMetadataItem? {
        commonMetadata.first { $0.commonKey == .commonKeyCreationDate }
    }

    /// The lyrics, or nil. Blocks until the asset is loaded.
    public var lyrics: String? {
        loaded(\.metadata).first { $0.key.lowercased().hasPrefix("lyrics") }?.value
    }
}

extension AVPartialAsyncProperty where Root: AVAsset {
    /// The property for `AVAsset.metadata`.
    public static var metadata: AVAsyncProperty<Root, [AVMetadataItem]> {
        AVAsyncProperty("metadata") { $0.metadata }
    }
    /// The property for `AVAsset.commonMetadata`.
    public static var commonMetadata: AVAsyncProperty<Root, [AVMetadataItem]> {
        AVAsyncProperty("commonMetadata") { $0.commonMetadata }
    }
    /// The property for `AVAsset.creationDate`.
    public static var creationDate: AVAsyncProperty<Root, AVMetadataItem?> {
        AVAsyncProperty("creationDate") { $0.creationDate }
    }
    /// The property for `AVAsset.lyrics`.
    public static var lyrics: AVAsyncProperty<Root, String?> { AVAsyncProperty("lyrics") { $0.lyrics } }
}
