public import MediaCore

/// The purpose and the manner of reading. Both are known before the demuxer is created and never change.
public struct DemuxerOptions: Sendable {
    /// A closure that returns which variant of a presentation to open, or nil to leave the choice to the demuxer. It is
    /// called during `Demuxer.open()`, on the caller's lane. If the property is nil, the demuxer chooses.
    public var chooseVariant: (@Sendable (MediaDescription) -> Variant?)?
    /// The item time of the first seek, so that nothing is loaded for other positions, or nil if reading begins at
    /// the start.
    public var startTime: MediaTime?
    /// The minimum offset from the live edge at which reading begins, or nil for the default of the presentation. It has
    /// no effect on presentations that have ended.
    public var liveOffset: MediaTime?
    /// Whether reading begins at the start that the presentation prefers (`EXT-X-START`). It has no effect if
    /// `startTime` is set, or `liveOffset` of a live presentation.
    package var beginsAtPreferredStart = false
    /// Whether only subtitles are read. If the subtitles have resources of their own, no others are loaded.
    public var readsOnlySubtitles: Bool
    /// Whether calls wait for bytes instead of returning `.pending`.
    ///
    /// The virtual clock needs blocking reads: it stops while a call waits, and nothing depends on how long bytes take
    /// to arrive. A demuxer then sends no notices about bytes.
    public var usesBlockingReads: Bool

    /// Creates options.
    ///
    /// - Parameters:
    ///   - startTime: The item time of the first seek.
    ///   - readsOnlySubtitles: Whether only subtitles are read.
    ///   - usesBlockingReads: Whether calls wait for bytes.
    ///   - chooseVariant: Returns the variant to open.
    public init(
        startTime: MediaTime? = nil,
        readsOnlySubtitles: Bool = false,
        usesBlockingReads: Bool = false,
        chooseVariant: (@Sendable (MediaDescription) -> Variant?)? = nil
    ) {
        self.chooseVariant = chooseVariant
        self.startTime = startTime
        self.readsOnlySubtitles = readsOnlySubtitles
        self.usesBlockingReads = usesBlockingReads
    }
}
