package import MediaCore
package import PlayheadBackend

/// The settings with which the loop opens and plays an item.
package struct MediaItem: Sendable {
    /// Creates the demuxer. Called on the control lane.
    package var makeDemuxer: @Sendable (DemuxerOptions) -> any Demuxer
    /// The role of the lane that calls the demuxer.
    package var loadingRole: LaneRole
    package var video: TrackChoice
    package var audio: TrackChoice
    /// The number of the choice of `video` and `audio`. A later choice has a higher number.
    package var choice: UInt64
    /// Returns the rules for choosing a variant. Called when the variant is chosen.
    package var variants: @Sendable () -> VariantPreference
    /// The bit rate that the network allows, or nil if the variant does not adapt to it.
    var bitRateLimit: BitRateLimit?
    /// The tracks whose data could not be read lately. Variants with fewer of them are preferred.
    var failures = TrackFailures()
    package var cueSources: [CueKind: CueSource]
    package var decoding: DecoderOptions
    /// The cache for decoded frames.
    package var frameCache = FrameCache.shared
    /// The buffer rules for local media, and those for media on a network.
    package var localRules: BufferRules
    package var networkRules: BufferRules
    /// The duration to read ahead in nanoseconds, or nil if the buffer rules apply.
    package var forwardBufferDuration: Int64?
    /// The memory for packets that are read over a network, or nil if the buffer rules apply.
    package var packetShare: PacketShare?
    /// The item time at which the item ends before its data does, or nil for the end of the data.
    package var forwardEnd: MediaTime?
    /// The item time at which backward playback ends.
    package var reverseEnd: MediaTime
    /// The duration that was measured during earlier playback, or nil if the container's duration applies.
    package var measuredDuration: MediaTime?
    /// The exact start time of an item of a queue, or nil for its beginning. A seek sets the start of the current
    /// item instead.
    package var start: MediaTime?
    /// The offset from the live edge at which a live presentation begins, or nil for the default.
    package var liveOffset: MediaTime?
    /// Whether an item without `start` begins at the start that the presentation prefers, instead of at zero.
    package var beginsAtPreferredStart = true
    package var audioSettings: AudioSettingsSource
    /// Receives the result of opening, on the loading lane and before the loop does.
    package var didOpen: @Sendable (Result<MediaDescription, MediaError>) -> Void

    package init(
        makeDemuxer: @escaping @Sendable (DemuxerOptions) -> any Demuxer,
        loadingRole: LaneRole = .blockingIO,
        video: TrackChoice = .automatic,
        audio: TrackChoice = .automatic,
        choice: UInt64 = 0,
        variants: @escaping @Sendable () -> VariantPreference = { VariantPreference() },
        cueSources: [CueKind: CueSource] = [:],
        decoding: DecoderOptions = DecoderOptions(),
        localRules: BufferRules = .local,
        networkRules: BufferRules = .network,
        forwardBufferDuration: Int64? = nil,
        forwardEnd: MediaTime? = nil,
        reverseEnd: MediaTime = .zero,
        measuredDuration: MediaTime? = nil,
        start: MediaTime? = nil,
        audioSettings: AudioSettingsSource = AudioSettingsSource(),
        didOpen: @escaping @Sendable (Result<MediaDescription, MediaError>) -> Void = { _ in }
    ) {
        self.makeDemuxer = makeDemuxer
        self.loadingRole = loadingRole
        self.video = video
        self.audio = audio
        self.choice = choice
        self.variants = variants
        self.cueSources = cueSources
        self.decoding = decoding
        self.localRules = localRules
        self.networkRules = networkRules
        self.forwardBufferDuration = forwardBufferDuration
        self.forwardEnd = forwardEnd
        self.reverseEnd = reverseEnd
        self.measuredDuration = measuredDuration
        self.start = start
        self.audioSettings = audioSettings
        self.didOpen = didOpen
    }
}
