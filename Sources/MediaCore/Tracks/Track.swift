/// One stream of an asset, as the container describes it.
public struct Track: Hashable, Sendable, Identifiable {
    /// The stream's index in its container, from 0.
    public var id: Int
    /// What kind of media the track holds.
    public var mediaType: MediaType
    /// FFmpeg's short name: "h264", "aac" ...
    public var codec: String
    /// The codec's profile by FFmpeg's name ("High", "Main 10", "LC" ...); nil where it has none or nobody
    /// knows.
    public var profile: String?
    /// As the container writes it, usually ISO 639-2 ("eng"); nil for none and "und".
    public var language: String?
    /// What the container calls the track; nil for none.
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
    /// Width of a pixel by its height; 1:1 for other media, and where it is square or unknown.
    public var pixelAspectRatio: Rational
    /// What brings the coded picture upright (AVAssetTrack.preferredTransform).
    public var preferredRotation: Rotation
    /// Mirrored left to right, before `preferredRotation` is applied.
    public var isMirrored: Bool
    /// What the sample values mean, as far as the stream says.
    public var color: ColorDescription
    /// What video was graded on, as the container or the codec's header says; nil where they do not. Frames tell too
    /// (`VideoFormat.masteringDisplay`), also where nothing but the pictures themselves does.
    public var masteringDisplay: MasteringDisplay?
    /// How bright the pictures become; nil where the container and the codec's header do not say.
    public var contentLightLevel: ContentLightLevel?
    /// Empty until known; for video FFmpeg's pixel format, for audio its sample format.
    public var sampleLayout: String
    /// Samples per second; 0 for other media.
    public var sampleRate: Int
    /// `channelCount` 0 for other media.
    public var channelLayout: ChannelLayout
    /// Bits per second; nil where unknown.
    public var bitRate: Int64?
    /// The container marks it as one to be played where nobody chooses.
    public var isDefault: Bool
    /// Words that are to be shown even where subtitles are off, such as signs in another language.
    public var isForced: Bool
    /// What the track is for, by FFmpeg's names: "default", "forced", "hearing_impaired", "comment" ...
    public var dispositions: Set<String>
    /// A still (cover art) rather than a moving frame.
    public var isAttachedPicture: Bool
    /// Its packets are encrypted, and it cannot be played.
    public var hasProtectedContent = false
    /// Of text: packets without words tell how far reading has come, so that no other track need be read along.
    package var reportsProgress = false
    /// Why this track cannot be played here; nil when it can.
    public var unplayableReason: String?
    /// What the container says of this track, by FFmpeg's keys ("handler_name", "encoder" ...).
    public var metadata: [String: String]

    /// A track of which no more is known: the other properties have the values that stand for "unknown".
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

    /// Channels of audio; 0 for other media.
    public var channelCount: Int { channelLayout.channelCount }
    /// Whether it can be played here; `unplayableReason` says why not.
    public var isPlayable: Bool { unplayableReason == nil }
}

extension Track {
    /// Size as a viewer sees it.
    public var presentationSize: PixelSize { shape.presentationSize }
}
