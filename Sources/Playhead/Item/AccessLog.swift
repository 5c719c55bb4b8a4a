public import MediaCore

/// How the playing of an item went: an entry for each time that a player has played it.
public struct AccessLog: Hashable, Sendable {
    /// Oldest first.
    public internal(set) var events: [Event] = []

    /// One playing of the item in one player, from the first time it ran until the player let go of it.
    ///
    /// Times are the player's clock, not dates: on a virtual clock they are the same in every run.
    public struct Event: Hashable, Sendable {
        /// When it ran for the first time.
        public let hostStartTime: HostTime
        /// When the player let go of it; nil while it has it.
        public internal(set) var hostEndTime: HostTime?
        /// Host nanoseconds from the player's taking the item to its first frame (or audio) at the sinks; nil
        /// where it was ready before its turn in a queue.
        public let startupTime: Int64?
        /// Times that playing ran out of data.
        public internal(set) var stalls = 0
        /// Host nanoseconds of all stalls that are over; see `PlaybackCounters.totalStallTime`.
        public internal(set) var totalStallTime: Int64 = 0
        /// Seeks that were carried out; those that a later one has overtaken are not.
        public internal(set) var seeks = 0
        /// Frames taken from the decoder, shown or not.
        public internal(set) var framesDecoded = 0
        /// Frames handed to the layers.
        public internal(set) var framesPresented = 0
        /// Video frames not shown because the one after them was already due, or because decoding was too slow.
        public internal(set) var framesDropped = 0
        /// Frames shown later than `PlaybackCounters.lateThreshold` after they were due.
        public internal(set) var framesLate = 0
        /// Samples per channel handed to the audio sink.
        public internal(set) var audioSamples = 0
        /// Bytes of compressed data read for the tracks that are played; see `PlaybackCounters.bytesRead`.
        public internal(set) var bytesRead = 0
        /// Times that another variant has taken over.
        public internal(set) var variantChanges = 0
        /// Bits per second at most of the variant that was played last, as the playlist says; 0 where there is no choice.
        public internal(set) var indicatedBitRate = 0.0
        /// Bits per second that came over the network when that was measured last; see `PlaybackCounters.observedBitRate`.
        public internal(set) var observedBitRate = 0.0
        /// Packets that could not be read or decoded.
        public internal(set) var faults = 0
        /// Passes played to their end.
        public internal(set) var passes = 0

        init(hostStartTime: HostTime, startupTime: Int64?) {
            self.hostStartTime = hostStartTime
            self.startupTime = startupTime
        }

        /// Everything counted since the player took the item.
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

/// What was lost of an item while playing went on, or ended it.
public struct ErrorLog: Sendable {
    /// Oldest first; after 1,000 the oldest make room.
    public internal(set) var events: [Event] = []

    /// One thing that was lost.
    public struct Event: Sendable {
        /// What was lost, and why.
        public let error: PlaybackError
        /// The player's clock when the player heard of it.
        public let hostTime: HostTime
        /// The item time that was being played then; `error.time` is that of what was lost, where it is known.
        public let itemTime: MediaTime
        /// Whether playing went on. False: `PlayerItem.error` or `failedToPlayToEndTime` tells the same.
        public let isRecovered: Bool
    }

    /// A broken file can fail at every packet, for ever where it loops.
    static let depth = 1000

    mutating func append(_ event: Event) {
        if events.count >= Self.depth { events.removeFirst() }
        events.append(event)
    }
}
