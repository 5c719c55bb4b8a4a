extension Preloader {
    /// How far an asset is made ready before anybody plays it. Each target includes `.probed`.
    public struct Target: Hashable, Sendable {
        /// Seconds of media that lie read in memory, from the start of the asset on.
        public var duration: Double = 0
        /// The same in bytes of compressed media. Where both are zero nothing is read but what the others need.
        public var byteCount = 0
        /// The first picture is decoded.
        public var decodesFirstFrame = false

        /// The container is open: tracks, duration and everything else that `Asset.description` tells are known.
        public static let probed = Target()
        /// The first picture is decoded, and the player that takes the asset shows it without reading or decoding.
        public static let firstFrame = Target(decodesFirstFrame: true)
        /// So many seconds of every track that is played are in memory, and the first picture is decoded.
        public static func firstFrame(loading seconds: Double) -> Target {
            Target(duration: seconds, decodesFirstFrame: true)
        }
        /// So many seconds of every track that is played are in memory.
        public static func loaded(seconds: Double) -> Target { Target(duration: seconds) }
        /// So many bytes of the tracks that are played are in memory.
        public static func loaded(byteCount: Int) -> Target { Target(byteCount: byteCount) }

        /// What is not given is not asked for. What is below zero, or no number, counts as zero.
        public init(duration: Double = 0, byteCount: Int = 0, decodesFirstFrame: Bool = false) {
            self.duration = duration
            self.byteCount = byteCount
            self.decodesFirstFrame = decodesFirstFrame
        }

        var nanoseconds: Int64 { duration > 0 ? Int64(min(duration, 1e6) * 1e9) : 0 }
    }

    /// How far an asset has come.
    public enum Status: Sendable, Equatable {
        /// Others go first, or it waits for a player that is hungry.
        case waiting
        /// It is being worked on.
        case loading
        /// The target is reached, and what was made waits for a player.
        case ready
        /// A player has taken it over, with all that had been made by then. The preloader has forgotten it.
        case handedOver
        /// It cannot be opened or read. A player that plays it opens it anew, and says so too.
        case failed(PlaybackError)
        /// It was called off. The preloader has forgotten it.
        case cancelled

        /// Of errors the code and the words count.
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

    /// An asset and what became of it.
    public struct Change: Sendable {
        /// What was handed to `preload`.
        public let asset: Asset
        /// Its status from here on.
        public let status: Status
    }

    /// How much is done at the same time.
    public struct Options: Hashable, Sendable {
        /// Assets that are worked on at the same time, those of the lowest ranks; 1: one download after the other.
        public var concurrentLoads = 2
        /// Bytes of compressed media that one asset may have in memory, whatever its target says.
        public var byteLimit = 16 << 20

        /// As they are by default.
        public init() {}
    }
}
