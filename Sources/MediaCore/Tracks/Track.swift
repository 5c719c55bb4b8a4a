/// A stream of an asset, as the container describes it.
public struct Track: Hashable, Sendable, Identifiable {
    /// The index of the stream in its container, counted from 0.
    public var id: Int
    /// The kind of media in the track.
    public var mediaType: MediaType
    /// FFmpeg's short name of the codec, such as "h264" or "aac".
    public var codec: String
    /// FFmpeg's name of the codec profile, such as "High", "Main 10" or "LC"; nil if there is none or it is unknown.
    public var profile: String?
    /// The language in the container, usually by ISO 639-2 ("eng"); nil if there is none or it is "und".
    public var language: String?
    /// The title in the container; nil for none.
    public var title: String?
    /// The range on the item's timeline. Its duration is `.indefinite` if the container does not declare it.
    public var timeRange: MediaTimeRange
    /// The duration of a tick of the track's timestamps, in seconds.
    public var timeBase: Rational
    /// The frame rate in frames per second, from the container or the codec; nil if unknown and for other media.
    public var nominalFrameRate: Rational?
    /// The number of frames declared by the container; nil if it is not declared.
    public var frameCount: Int?
    /// The coded size after cropping; `.zero` for other media.
    public var naturalSize: PixelSize
    /// The width of a pixel divided by its height; 1:1 if pixels are square, if it is unknown, and for other media.
    public var pixelAspectRatio: Rational
    /// The rotation that turns the coded picture upright (AVAssetTrack.preferredTransform).
    public var preferredRotation: Rotation
    /// A Boolean value that indicates whether the picture is mirrored left to right before `preferredRotation` is
    /// applied.
    public var isMirrored: Bool
    /// The meaning of the sample values, as far as the stream declares it.
    public var color: ColorDescription
    /// The display that the video was graded on, from the container or the codec's header; nil if neither declares
    /// it. Frames may declare it as well (`VideoFormat.masteringDisplay`), even if the track does not.
    public var masteringDisplay: MasteringDisplay?
    /// The brightness of the video; nil if neither the container nor the codec's header declares it.
    public var contentLightLevel: ContentLightLevel?
    /// FFmpeg's pixel format for video, or sample format for audio; empty until it is known.
    public var sampleLayout: String
    /// The sample rate in samples per second; 0 for other media.
    public var sampleRate: Int
    /// The channel layout of audio. Its `channelCount` is 0 for other media.
    public var channelLayout: ChannelLayout
    /// The bit rate in bits per second; nil if unknown.
    public var bitRate: Int64?
    /// A Boolean value that indicates whether the container marks the track as the default selection.
    public var isDefault: Bool
    /// A Boolean value that indicates whether the subtitles are shown even if subtitles are off, such as translations
    /// of signs.
    public var isForced: Bool
    /// The purposes of the track by FFmpeg's names: "default", "forced", "hearing_impaired", "comment", and so on.
    public var dispositions: Set<String>
    /// A Boolean value that indicates whether the track is a still image, such as cover art.
    public var isAttachedPicture: Bool
    /// The bytes of an attached picture as they are in the file, usually a JPEG or PNG image; nil for other tracks, and
    /// for a picture of more than 16 MiB.
    public var attachedPictureData: [UInt8]?
    /// A Boolean value that indicates whether the packets are encrypted, so that the track cannot be played.
    public var hasProtectedContent = false
    /// A Boolean value that indicates whether a text track's empty packets report how far reading has come. No other
    /// track then has to be read along.
    package var reportsProgress = false
    /// The four characters that name the format of video in an MP4 or QuickTime file, the first one in the most
    /// significant byte; nil for other containers. "hvc1" and "hev1" are both HEVC.
    package var sampleEntryType: UInt32?
    /// The index of the playlist that contains the track, or 0 if the asset is one container. Tracks of one playlist
    /// are read together.
    package var playlistIndex = 0
    /// The reason why this track cannot be played; nil if it can.
    public var unplayableReason: String?
    /// The metadata of this track, by FFmpeg's keys: "handler_name", "encoder", and so on.
    public var metadata: [String: String]

    /// Creates a track. All other properties have the values for "unknown".
    ///
    /// - Parameters:
    ///   - id: The index of the stream in its container, counted from 0.
    ///   - mediaType: The kind of media.
    ///   - codec: FFmpeg's short name of the codec.
    ///   - timeBase: The duration of a tick, in seconds.
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

    /// The number of audio channels; 0 for other media.
    public var channelCount: Int { channelLayout.channelCount }
    /// A Boolean value that indicates whether the track can be played; `unplayableReason` has the reason if it
    /// cannot.
    public var isPlayable: Bool { unplayableReason == nil }
}

extension Track {
    /// The size at which the video is displayed: after applying pixel aspect ratio and rotation.
    public var presentationSize: PixelSize { shape.presentationSize }
}
