public import MediaCore

/// What the loop needs to play an item.
public struct MediaItem: Sendable {
    /// Makes the demuxer; called on the item's loading lane.
    public var makeDemuxer: @Sendable () -> any Demuxer
    public var video: TrackChoice
    public var audio: TrackChoice
    /// Which variant to take; asked when the choice is made.
    public var variants: @Sendable () -> VariantPreference
    public var texts: [TextKind: TextSource]
    public var decoding: DecoderOptions
    /// Where the bytes are local, and where they come over a network.
    public var localRules: BufferRules
    public var networkRules: BufferRules
    /// Nanoseconds to read ahead; nil: as the rules have it.
    public var forward: Int64?
    /// Item time at which the item ends before its data does; nil for the end of the data.
    public var forwardEnd: MediaTime?
    /// Item time at which playing backward ends.
    public var reverseEnd: MediaTime
    /// Where an item of a queue begins, exactly; nil: at its start. The current item is sought instead.
    public var start: MediaTime?
    public var sound: AudioSettingsSource
    /// Told on the loading lane, before the loop hears of it.
    public var didOpen: @Sendable (Result<MediaDescription, MediaError>) -> Void

    public init(
        makeDemuxer: @escaping @Sendable () -> any Demuxer,
        video: TrackChoice = .automatic,
        audio: TrackChoice = .automatic,
        variants: @escaping @Sendable () -> VariantPreference = { VariantPreference() },
        texts: [TextKind: TextSource] = [:],
        decoding: DecoderOptions = DecoderOptions(),
        localRules: BufferRules = .local,
        networkRules: BufferRules = .network,
        forward: Int64? = nil,
        forwardEnd: MediaTime? = nil,
        reverseEnd: MediaTime = .zero,
        start: MediaTime? = nil,
        sound: AudioSettingsSource = AudioSettingsSource(),
        didOpen: @escaping @Sendable (Result<MediaDescription, MediaError>) -> Void = { _ in }
    ) {
        self.makeDemuxer = makeDemuxer
        self.video = video
        self.audio = audio
        self.variants = variants
        self.texts = texts
        self.decoding = decoding
        self.localRules = localRules
        self.networkRules = networkRules
        self.forward = forward
        self.forwardEnd = forwardEnd
        self.reverseEnd = reverseEnd
        self.start = start
        self.sound = sound
        self.didOpen = didOpen
    }
}

/// Describes an item when it is opened, with what was set on it until then.
public struct MediaItemSource: Sendable {
    let make: @Sendable () -> MediaItem?
    public init(_ make: @escaping @Sendable () -> MediaItem?) { self.make = make }
    public init(_ item: MediaItem) { make = { item } }
}

/// An event as it leaves the loop: what happened, and when.
public struct PlaybackReport: Sendable {
    public enum Content: Sendable {
        case notice(PlaybackNotice)
        case presentationSizeChanged(ItemID, PixelSize)
        case tracksChanged(ItemID)
        /// Other tracks of the current item are played.
        case selectionChanged(ItemID)
        /// How fast time really runs; 0 while it stands.
        case effectiveRateChanged(ItemID, Float)
        /// What is read ahead, in item time; nil: nothing.
        case loadedRangeChanged(ItemID, MediaTimeRange?)
        /// The first picture of the item (or of a seek) has reached the sinks.
        case readyForDisplayChanged(ItemID, Bool)
        case seekCompleted(SeekID, finished: Bool)
        case prerollCompleted(SeekID, finished: Bool)
        /// Playback goes on, but something was lost.
        case fault(ItemID?, MediaError)
        case sinkFailed(MediaError, any Error)
    }

    public var content: Content
    /// The loop's clock at the time.
    public var host: HostTime
    /// Item time at the time.
    public var itemTime: MediaTime
}
