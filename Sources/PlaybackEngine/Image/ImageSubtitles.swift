package import PlayheadBackend

/// The subtitles that are drawn into still images. Equal only to itself.
package final class ImageSubtitles: Hashable, Sendable {
    let source: CueSource
    let makeRenderer: @Sendable () -> (any SubtitleRenderer)?

    /// Creates the subtitles. Nothing is opened before the first image.
    ///
    /// - Parameters:
    ///   - source: The subtitle track.
    ///   - makeRenderer: Creates the renderer, or returns nil if the backend has none.
    package init(_ source: CueSource, makeRenderer: @escaping @Sendable () -> (any SubtitleRenderer)?) {
        self.source = source
        self.makeRenderer = makeRenderer
    }

    package static func == (one: ImageSubtitles, other: ImageSubtitles) -> Bool { one === other }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
