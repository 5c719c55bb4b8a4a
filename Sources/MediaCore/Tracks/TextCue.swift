/// Words that are due for a while.
public struct TextCue: Hashable, Sendable {
    /// Plain, without markup; lines are separated by a line feed.
    public var text: String
    /// On the item's timeline. Its duration is `.indefinite` where only the next cue ends it, until that is known.
    public var timeRange: MediaTimeRange
    /// `Track.id`.
    public var track: Int
    /// Where and how to lay it out, as WebVTT writes it ("line:0 align:start"); nil for none.
    public var settings: String?
    /// What metadata say, by name; empty for words.
    public var values: [String: String]

    /// `timeRange` on the item's timeline; `values` are for metadata, words have none.
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
