public import Dispatch
import FFmpeg
public import Logging
import MediaCore
import PlaybackEngine
public import PlayheadBackend

extension DecoderOptions {
    /// `sharing`: players that are likely to decode at the same time.
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
    /// How a player works. Every field has the default that most users want.
    public struct Configuration: Sendable {
        /// What time is, and how fast it goes.
        public var clock: ClockMode = .host
        /// Where audio goes; it is not changed later.
        public var audio: AudioOutput = .automatic
        /// What decoding may cost.
        public var decoding = DecodingPolicy()
        /// How far ahead is read, and how much there must be to play.
        public var buffering = BufferingPolicy()
        /// Where callbacks run, in order; nil: a serial queue of the player's own.
        public var callbackQueue: DispatchQueue?
        /// Where warnings and traces go; nowhere by default. Called from any thread.
        public var logger = Logger(label: "playhead") { _ in SwiftLogNoOpLogHandler() }
        /// Takes containers apart and decodes: FFmpeg, unless a test plugs in its own. An `Asset` that was made with a
        /// backend keeps it.
        public var backend: any MediaBackend = FFmpegBackend()

        /// Real time, a sound server if there is one, FFmpeg.
        public init() {}
    }
}
