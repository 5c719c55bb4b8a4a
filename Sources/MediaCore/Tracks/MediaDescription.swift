/// What opening an asset taught us. Never changes afterwards.
public struct MediaDescription: Hashable, Sendable {
    /// FFmpeg's name of the container: "mov,mp4,m4a,3gp,3g2,mj2", "matroska,webm" ...
    public var formatName: String
    /// `.indefinite` where the container does not say.
    public var duration: MediaTime
    /// True when `duration` was derived from bit rate or the last time stamps rather than declared.
    public var durationIsEstimate: Bool
    /// The container's own time that is zero on the item's timeline.
    public var startTime: MediaTime
    /// All streams, in the container's order, also those that cannot be played.
    public var tracks: [Track]
    /// What the container says of the whole, by FFmpeg's keys ("title", "artist" ...).
    public var metadata: [String: String]
    /// By start; empty where there are none.
    public var chapters: [Chapter]
    /// In the playlist's order; empty where there is no choice.
    public var variants: [Variant]
    /// In order; empty where nothing says when it happened.
    public var dates: [DateSpan]
    /// The file says that fragments may follow (MP4's `mvex`). Known of local files alone.
    public var canContainFragments: Bool
    /// At least one fragment (`moof`) was there when the file was opened.
    public var containsFragments: Bool
    /// Of all fragments, those to come included; `.invalid` where the file does not say.
    public var overallDurationHint: MediaTime
    /// False where the bytes can only be read once, as those of a pipe.
    public var isSeekable: Bool
    /// False where the bytes come over a network.
    public var isLocal: Bool
    /// nil where the source does not know.
    public var byteCount: Int64?
    /// How much of the file it takes to play up to a time, by time, as the container's index says. Known of files of a network
    /// alone; empty where there is no index.
    public var byteMarks: [ByteMark]
    /// Bits per second of all tracks together, as the container says or FFmpeg reckons; nil where unknown.
    public var bitRate: Int64?
    /// Where the segments of a presentation begin that are fetched one by one, in nanoseconds of item time and in order. Empty
    /// where there are none, and where more of them come.
    package var segmentStarts: [Int64] = []

    /// Media of which no more is known: no tracks, and the values that stand for "unknown".
    public init(formatName: String) {
        self.formatName = formatName
        self.duration = .indefinite
        self.durationIsEstimate = false
        self.startTime = .zero
        self.tracks = []
        self.metadata = [:]
        self.chapters = []
        self.variants = []
        self.dates = []
        self.canContainFragments = false
        self.containsFragments = false
        self.overallDurationHint = .invalid
        self.isSeekable = true
        self.isLocal = true
        self.byteMarks = []
    }
}
