public import MediaCore

/// Statistics of an item's playback, with one entry for each player that has played it.
public struct AccessLog: Hashable, Sendable {
    /// The entries, oldest first.
    public internal(set) var events: [Event] = []

    /// The playback of an item in one player, from its first start until the player released the item.
    ///
    /// Times refer to the player's clock and are not dates. On a virtual clock they are the same in every run.
    public struct Event: Hashable, Sendable {
        /// The time at which playback started for the first time.
        public let hostStartTime: HostTime
        /// The time at which the player released the item; nil while it has the item.
        public internal(set) var hostEndTime: HostTime?
        /// The time from the assignment of the item to the delivery of its first frame (or audio) to the
        /// sinks. Nil if the item was prepared before its turn in a queue.
        public let startupTime: Duration?
        /// The number of stalls.
        public internal(set) var stalls = 0
        /// The duration of all stalls that have ended; see `PlaybackCounters.totalStallTime`.
        public internal(set) var totalStallTime = Duration.zero
        /// The number of seeks that were carried out. Seeks that a later seek replaced do not count.
        public internal(set) var seeks = 0
        /// The number of frames that were decoded, whether or not they were presented.
        public internal(set) var framesDecoded = 0
        /// The number of frames that were delivered to the layers.
        public internal(set) var framesPresented = 0
        /// The number of video frames that were not presented because the following frame was due already, or because
        /// decoding was too slow.
        public internal(set) var framesDropped = 0
        /// The number of frames that were presented more than `PlaybackCounters.lateThreshold` after they were due.
        public internal(set) var framesLate = 0
        /// The number of samples per channel that were delivered to the audio sink.
        public internal(set) var audioSamples = 0
        /// The number of bytes of compressed data that were read for the tracks that are played; see
        /// `PlaybackCounters.bytesRead`.
        public internal(set) var bytesRead = 0
        /// The number of switches to another variant.
        public internal(set) var variantChanges = 0
        /// The peak bit rate, in bits per second, that the playlist declares for the variant that was played last. 0 if
        /// there are no variants.
        public internal(set) var indicatedBitRate = 0.0
        /// The network throughput in bits per second at the last measurement; see `PlaybackCounters.observedBitRate`.
        public internal(set) var observedBitRate = 0.0
        /// The number of packets that could not be read or decoded.
        public internal(set) var faults = 0
        /// The number of passes that were played to their end.
        public internal(set) var passes = 0

        init(hostStartTime: HostTime, startupTime: Duration?) {
            self.hostStartTime = hostStartTime
            self.startupTime = startupTime
        }

        /// Updates the statistics with everything that was counted since the player got the item.
        mutating func count(_ counters: PlaybackCounters, since base: PlaybackCounters) {
            stalls = counters.stalls - base.stalls
            totalStallTime = counters.totalStallTime - base.totalStallTime
            seeks = counters.seeks - base.seeks
            framesDecoded = counters.framesDecoded - base.framesDecoded
            framesPresented = counters.framesPresented - base.framesPresented
            framesDropped = counters.framesDropped - base.framesDropped
            framesLate = counters.framesLate - base.framesLate
            audioSamples = counters.audioSamples - base.audioSamples
            bytesRead = counters.bytesRead - base.bytesRead
            variantChanges = counters.variantChanges - base.variantChanges
            if counters.indicatedBitRate > 0 { indicatedBitRate = counters.indicatedBitRate }
            observedBitRate = counters.observedBitRate
            faults = counters.faults - base.faults
            passes = counters.passes - base.passes
        }
    }
}

/// The errors of an item: losses during playback, and the error that ended it.
public struct ErrorLog: Sendable {
    /// The entries, oldest first. At most the newest 1,000 are kept.
    public internal(set) var events: [Event] = []

    /// One error of an item.
    public struct Event: Sendable {
        /// The failure and its cause.
        public let error: PlaybackError
        /// The time on the player's clock at which the error was reported.
        public let hostTime: HostTime
        /// The item time that was being played then. `error.time` is the item time of the loss itself, if it is known.
        public let itemTime: MediaTime
        /// A Boolean value that indicates whether playback continued. If false, `PlayerItem.error` or
        /// `failedToPlayToEndTime` reports the same error.
        public let isRecovered: Bool
    }

    /// The maximum number of entries. A damaged file can fail at every packet, and in a loop indefinitely.
    static let depth = 1000

    mutating func append(_ event: Event) {
        if events.count >= Self.depth { events.removeFirst() }
        events.append(event)
    }
}
