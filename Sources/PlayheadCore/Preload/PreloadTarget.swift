import MediaCore

extension Preloader {
    /// The extent to which an asset is prepared before playback. Every target includes `.probed`.
    public struct Target: Hashable, Sendable {
        /// The duration of media to keep in memory, from the start of the asset.
        public var duration = Duration.zero
        /// The number of bytes of compressed media to keep in memory. If both amounts are 0, only what the other
        /// settings require is read.
        public var byteCount = 0
        /// Whether to decode the first frame.
        public var decodesFirstFrame = false

        /// The container is open: tracks, duration and everything else in `Asset.media` are known.
        public static let probed = Target()
        /// The first frame is decoded. The player that gets the asset shows it without reading or decoding.
        public static let firstFrame = Target(decodesFirstFrame: true)
        /// Returns a target that includes the first frame and a duration of every track that is played.
        ///
        /// - Parameter duration: The duration.
        /// - Returns: The target.
        public static func firstFrame(loading duration: Duration) -> Target {
            Target(duration: duration, decodesFirstFrame: true)
        }
        /// Returns a target that includes a duration of every track that is played.
        ///
        /// - Parameter duration: The duration.
        /// - Returns: The target.
        public static func loaded(duration: Duration) -> Target { Target(duration: duration) }
        /// Returns a target that includes a number of bytes of the tracks that are played.
        ///
        /// - Parameter byteCount: The number of bytes.
        /// - Returns: The target.
        public static func loaded(byteCount: Int) -> Target { Target(byteCount: byteCount) }

        /// Creates a target. Negative values count as 0.
        ///
        /// - Parameters:
        ///   - duration: The duration of media to keep in memory.
        ///   - byteCount: The number of bytes of media to keep in memory.
        ///   - decodesFirstFrame: Whether to decode the first frame.
        public init(duration: Duration = .zero, byteCount: Int = 0, decodesFirstFrame: Bool = false) {
            self.duration = duration
            self.byteCount = byteCount
            self.decodesFirstFrame = decodesFirstFrame
        }

        var nanoseconds: Int64 { max(0, duration.nanoseconds) }
    }

    /// The status of preloading an asset.
    public enum Status: Sendable, Equatable {
        /// Other assets have precedence, or a playing item needs the bandwidth.
        case waiting
        /// The asset is being preloaded.
        case loading
        /// The target has been reached, and the result is available to a player.
        case ready
        /// A player has claimed the result so far. The preloader no longer refers to the asset.
        case handedOver
        /// The asset cannot be opened or read. A player that plays it opens it again and reports the error too.
        case failed(PlaybackError)
        /// Preloading was cancelled. The preloader no longer refers to the asset.
        case cancelled

        /// Compares errors by their code and message.
        public static func == (a: Status, b: Status) -> Bool {
            switch (a, b) {
            case (.waiting, .waiting), (.loading, .loading), (.ready, .ready), (.handedOver, .handedOver),
                (.cancelled, .cancelled):
                true
            case (.failed(let a), .failed(let b)): a.code == b.code && a.message == b.message
            default: false
            }
        }
    }

    /// An asset and its new status.
    public struct Change: Sendable {
        /// The asset that was passed to `preload`.
        public let asset: Asset
        /// The new status.
        public let status: Status
    }

    /// Limits of preloading.
    public struct Options: Hashable, Sendable {
        /// The number of assets that are preloaded at the same time, those with the lowest ranks. 1 loads them one
        /// after the other.
        public var concurrentLoads = 2
        /// The maximum number of bytes of compressed media in memory for one asset, whatever its target is.
        public var byteLimit = 16 << 20

        /// Creates options with the default values.
        public init() {}
    }
}
