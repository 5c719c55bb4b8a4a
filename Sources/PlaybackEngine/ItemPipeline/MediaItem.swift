package import MediaCore
package import PlayheadBackend

/// What the loop needs to play an item.
package struct MediaItem: Sendable {
    /// Makes the demuxer; called on the item's loading lane.
    package var makeDemuxer: @Sendable () -> any Demuxer
    /// The kind of that lane.
    package var loadingRole: LaneRole
    package var video: TrackChoice
    package var audio: TrackChoice
    /// Numbers the choice of these two; a later choice has a higher number.
    package var choice: UInt64
    /// Which variant to take; asked when the choice is made.
    package var variants: @Sendable () -> VariantPreference
    /// What the network's speed allows; nil: it does not matter.
    var bitRateLimit: BitRateLimit?
    package var cueSources: [CueKind: CueSource]
    package var decoding: DecoderOptions
    /// Where decoded frames are kept.
    package var frameCache = FrameCache.shared
    /// Where the bytes are local, and where they come over a network.
    package var localRules: BufferRules
    package var networkRules: BufferRules
    /// Nanoseconds to read ahead; nil: as the rules have it.
    package var forwardBufferDuration: Int64?
    /// Memory for packets that come over a network; nil: as the rules have it.
    package var packetShare: PacketShare?
    /// Item time at which the item ends before its data does; nil for the end of the data.
    package var forwardEnd: MediaTime?
    /// Item time at which playing backward ends.
    package var reverseEnd: MediaTime
    /// What earlier playing has taught of the duration; nil: nothing that the container does not say.
    package var measuredDuration: MediaTime?
    /// Where an item of a queue begins, exactly; nil: at its start. The current item is sought instead.
    package var start: MediaTime?
    package var audioSettings: AudioSettingsSource
    /// Told on the loading lane, before the loop hears of it.
    package var didOpen: @Sendable (Result<MediaDescription, MediaError>) -> Void

    package init(
        makeDemuxer: @escaping @Sendable () -> any Demuxer,
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
