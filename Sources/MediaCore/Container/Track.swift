public enum MediaType: String, Hashable, Sendable, CaseIterable {
    case video, audio, subtitle, data, attachment, unknown
}

/// One stream of an asset, as the container describes it.
public struct Track: Hashable, Sendable, Identifiable {
    /// The stream's index in its container, from 0.
    public var id: Int
    public var mediaType: MediaType
    /// FFmpeg's short name: "h264", "aac" ...
    public var codec: String
    public var profile: String?
    /// As the container writes it, usually ISO 639-2 ("eng"); nil for none and "und".
    public var language: String?
    public var title: String?
    /// On the item's timeline; duration `.indefinite` where the container does not say.
    public var timeRange: MediaTimeRange
    /// Seconds per tick of the track's own time stamps.
    public var timeBase: Rational
    /// Frames per second as the container or the codec says; nil for other media and where nobody knows.
    public var nominalFrameRate: Rational?
    /// Number of frames as the container says; nil where it does not.
    public var frameCount: Int?
    /// Coded size after cropping; `.zero` for other media.
    public var naturalSize: PixelSize
    public var pixelAspectRatio: Rational
    public var preferredRotation: Rotation
    public var isMirrored: Bool
    public var color: ColorDescription
    /// Empty until known; for video FFmpeg's pixel format, for audio its sample format.
    public var sampleLayout: String
    /// Samples per second; 0 for other media.
    public var sampleRate: Int
    /// `channelCount` 0 for other media.
    public var channelLayout: ChannelLayout
    /// Bits per second; nil where unknown.
    public var bitRate: Int64?
    public var isDefault: Bool
    public var isForced: Bool
    /// What the track is for, by FFmpeg's names: "default", "forced", "hearing_impaired", "comment" ...
    public var dispositions: Set<String>
    /// A still (cover art) rather than a moving frame.
    public var isAttachedPicture: Bool
    /// Its packets are encrypted, and it cannot be played.
    public var hasProtectedContent = false
    /// Why this track cannot be played here; nil when it can.
    public var unplayableReason: String?
    public var metadata: [String: String]

    public init(id: Int, mediaType: MediaType, codec: String, timeBase: Rational) {
        self.id = id
        self.mediaType = mediaType
        self.codec = codec
        self.timeRange = MediaTimeRange(start: .zero, duration: .indefinite)
        self.timeBase = timeBase
        self.naturalSize = .zero
        self.pixelAspectRatio = Rational(1, 1)
        self.preferredRotation = .none
        self.isMirrored = false
        self.color = ColorDescription()
        self.sampleLayout = ""
        self.sampleRate = 0
        self.channelLayout = ChannelLayout(channelCount: 0, name: "")
        self.isDefault = false
        self.isForced = false
        self.dispositions = []
        self.isAttachedPicture = false
        self.metadata = [:]
    }

    public var channelCount: Int { channelLayout.channelCount }
    public var isPlayable: Bool { unplayableReason == nil }
}

extension Track {
    /// Size as a viewer sees it.
    public var presentationSize: PixelSize { shape.presentationSize }
}

/// A named stretch of an asset's timeline.
public struct Chapter: Hashable, Sendable {
    public var title: String?
    public var timeRange: MediaTimeRange

    public init(title: String?, timeRange: MediaTimeRange) {
        self.title = title
        self.timeRange = timeRange
    }
}

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
    public var tracks: [Track]
    public var metadata: [String: String]
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
    public var isSeekable: Bool
    /// False where the bytes come over a network.
    public var isLocal: Bool
    /// nil where the source does not know.
    public var byteCount: Int64?
    public var bitRate: Int64?

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
    }
}
