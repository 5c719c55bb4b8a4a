/// The properties of an asset that are known once it is open. They do not change afterwards.
public struct MediaDescription: Hashable, Sendable {
    /// FFmpeg's name of the container format, such as "mov,mp4,m4a,3gp,3g2,mj2" or "matroska,webm".
    public var formatName: String
    /// The duration, or `.indefinite` if the container does not declare it.
    public var duration: MediaTime
    /// A Boolean value that indicates whether `duration` was derived from the bit rate or the last timestamps instead
    /// of being declared.
    public var durationIsEstimate: Bool
    /// The time in the container that corresponds to zero on the item's timeline.
    public var startTime: MediaTime
    /// All streams in the container's order, including those that cannot be played.
    public var tracks: [Track]
    /// The metadata of the container, by FFmpeg's keys: "title", "artist", and so on.
    public var metadata: [String: String]
    /// The chapters, ordered by start; empty if there are none.
    public var chapters: [Chapter]
    /// The variants in the order of the playlist; empty if there are none.
    public var variants: [Variant]
    /// The ranges with known dates, in order; empty if there are none.
    public var dates: [DateSpan]
    /// A Boolean value that indicates whether the file declares that fragments may follow (MP4's `mvex`). Known for
    /// local files only.
    public var canContainFragments: Bool
    /// A Boolean value that indicates whether the file contained at least one fragment (`moof`) when it was opened.
    public var containsFragments: Bool
    /// The duration of all fragments, including those that will follow, or `.invalid` if the file does not declare
    /// it.
    public var overallDurationHint: MediaTime
    /// A Boolean value that indicates whether the bytes can be read at any offset. False for pipes.
    public var isSeekable: Bool
    /// A Boolean value that indicates whether the bytes are on this machine. False for a network.
    public var isLocal: Bool
    /// The size in bytes, or nil if the source does not know it.
    public var byteCount: Int64?
    /// The number of bytes of the file needed to play up to given times, ordered by time, from the container's index.
    /// Known for network files only; empty without an index.
    public var byteMarks: [ByteMark]
    /// The bit rate of all tracks together in bits per second, declared by the container or computed by FFmpeg; nil
    /// if unknown.
    public var bitRate: Int64?
    /// The start times of the segments of a segmented presentation, in nanoseconds of item time and in order. Empty
    /// if there are no segments, or if more will be added.
    package var segmentStarts: [Int64] = []
    /// Whether `duration` is the sum of the durations of segments, which may be rounded to seconds, as in a playlist.
    package var durationIsRounded = false
    /// Whether `duration` is a number of samples that the container declares, as for uncompressed audio.
    package var durationIsExact = false

    /// The item time at which reading begins without a seek: in a live presentation, and in one with a preferred start.
    /// Nil for other media, which begin at zero.
    package var joinTime: MediaTime?
    /// The item time at which playback begins if the presentation prefers an exact start, which requires a seek.
    /// Otherwise nil.
    package var preciseStart: MediaTime?

    /// Creates a description without tracks, in which all other properties have the values for "unknown".
    ///
    /// - Parameter formatName: FFmpeg's name of the container format.
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

extension MediaDescription {
    /// The variants whose video can be played, or all variants if there is none.
    package var playableVariants: [Variant] {
        let lost = Set(tracks.filter { $0.mediaType == .video && !$0.isPlayable }.map(\.id))
        let playable = variants.filter { $0.trackIDs.isDisjoint(with: lost) }
        return playable.isEmpty ? variants : playable
    }
}
