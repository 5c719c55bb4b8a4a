public import Dispatch
import FFmpeg
public import Logging
import MediaCore
public import Network
import PlaybackEngine
public import PlayheadBackend

extension DecoderOptions {
    /// Creates options from a policy.
    ///
    /// - Parameters:
    ///   - policy: The policy.
    ///   - sharing: The number of players that are likely to decode at the same time.
    init(_ policy: DecodingPolicy, sharing: Int) {
        self.init(
            threadCount: policy.threadCount ?? 0,
            sharing: sharing,
            maximumPixelCount: policy.maximumPixelCount
        )
        decodesFirstFrameAlone = policy.decodesFirstFrameAlone
        hardware = policy.hardware
    }
}

extension Player {
    /// The configuration of a player. Every property has a default that suits most applications.
    public struct Configuration: Sendable {
        /// The clock that playback follows.
        public var clock: ClockMode = .host
        /// The destination of audio. It cannot be changed after the player was created.
        public var audio: AudioDestination = .automatic
        /// The limits and options of decoding.
        public var decoding = DecodingPolicy()
        /// The amounts of data that the player reads ahead, keeps, and requires to play.
        public var buffering = BufferingPolicy()
        /// The options for http and https URLs: header fields, timeout, disk cache, and so on.
        ///
        /// They apply to each asset that is given to the player without network options of its own
        /// (`AssetOptions.network`): in `Player(url:configuration:)`, in an item of `PlayerItem(url:)`, in a queue, and
        /// as `PlayerItem.legibleAsset`. A `Preloader` or `FeedPlayer` with this configuration applies them as well. An
        /// asset with network options of its own keeps those, and so does one that was opened or given to another
        /// player before.
        public var network = NetworkOptions()
        /// The serial queue for callbacks. Nil, the default, creates a queue for the player.
        public var callbackQueue: DispatchQueue?
        /// The logger for warnings and traces. By default nothing is logged. The logger is used from any thread.
        public var logger = Logger(label: "playhead") { _ in SwiftLogNoOpLogHandler() }
        /// The backend that demuxes and decodes: FFmpeg, unless a test provides its own. The backend of an `Asset`
        /// takes precedence.
        public var backend: any MediaBackend = FFmpegBackend()

        /// Creates a configuration for playback in real time with the default audio server and FFmpeg.
        public init() {}

        /// Returns a configuration for offline work: on a virtual clock, as fast as possible. Every frame
        /// and every sample is delivered, and the result is the same in each run.
        ///
        ///     let wav = try WAVSink(ByteOutput(replacing: "film.wav"))
        ///     try await Player(url: url, configuration: .offline(audio: .sink(wav))).playToEnd()
        ///
        /// - Parameters:
        ///   - audio: The destination of audio. By default audio is not decoded.
        ///   - clock: The clock, if several players share one. Nil gives each player a clock of its own.
        public static func offline(audio: AudioDestination = .none, clock: VirtualClock? = nil) -> Self {
            var configuration = Self()
            configuration.clock = clock.map { .virtual($0) } ?? .virtual
            configuration.audio = audio
            return configuration
        }
    }
}
