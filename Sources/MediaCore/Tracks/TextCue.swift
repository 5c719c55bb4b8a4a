/// A text that is shown during a time range, or a timed metadata entry.
public struct TextCue: Hashable, Sendable {
    /// The text without markup. Lines are separated by line feeds.
    public var text: String
    /// The range on the item's timeline. Its duration is `.indefinite` if the next cue ends it and that cue is not
    /// known yet.
    public var timeRange: MediaTimeRange
    /// The `Track.id` of the track that the cue belongs to.
    public var track: Int
    /// The layout in WebVTT's notation, such as "line:0 align:start"; nil for none.
    public var settings: String?
    /// The values of timed metadata, by name; empty for subtitles.
    public var values: [String: String]
    /// The form in which the cue is drawn into frames. Nil draws the text in the default style.
    package var drawing: CueDrawing?

    /// Creates a cue.
    ///
    /// - Parameters:
    ///   - text: The text without markup.
    ///   - timeRange: The range on the item's timeline.
    ///   - track: The `Track.id` of the track.
    ///   - settings: The layout in WebVTT's notation; nil for none.
    ///   - values: The values of timed metadata, by name; empty for subtitles.
    public init(
        text: String,
        timeRange: MediaTimeRange,
        track: Int,
        settings: String? = nil,
        values: [String: String] = [:]
    ) {
        self.text = text
        self.timeRange = timeRange
        self.track = track
        self.settings = settings
        self.values = values
    }
}
