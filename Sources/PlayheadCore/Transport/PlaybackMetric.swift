public import MediaCore

/// A measurement of playback, and the time at which it was made.
public struct PlaybackMetric: Sendable {
    /// The kind of a measurement, with its values.
    public enum Kind: Sendable {
        /// The item plays for the first time in this player. The value is the time from the assignment of
        /// the item to the delivery of its first frame (or audio) to the sinks; nil if the item was prepared before
        /// its turn.
        case started(startupTime: Duration?)
        /// Playback ran out of data.
        case stalled
        /// Playback resumed after a stall of the given duration.
        case resumed(stalledFor: Duration)
        /// The rate changed, with the reason.
        case rateChanged(from: Float, to: Float, PlayerEvent.RateChange)
        /// A seek ended. The value is false if another seek or item replaced it.
        case sought(finished: Bool)
        /// A pass ended. The value is the item's entry in the access log at the time of reading; nil if the item never
        /// played.
        case passEnded(PlayerEvent.PassOutcome, AccessLog.Event?)
        /// Something was lost, and playback continued.
        case lost(PlaybackError)
        /// Events were delivered faster than the sequence was read. The value is the number of events that were omitted
        /// before the next measurement.
        case eventsLost(Int)
    }

    /// The kind of the measurement, with its values.
    public let kind: Kind
    /// The current item at that time, or nil.
    public let item: PlayerItem?
    /// The time on the item's timeline.
    public let itemTime: MediaTime
    /// The time on the player's clock.
    public let hostTime: HostTime
}

/// An asynchronous sequence of measurements, which are derived from the player's events in their order. An iterator
/// delivers what happens after its creation, and ends with the player.
public struct PlaybackMetrics: AsyncSequence, Sendable {
    let events: AsyncStream<TimedPlayerEvent>

    /// The iterator of the sequence.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var events: AsyncStream<TimedPlayerEvent>.Iterator
        private var stalledAt: HostTime?

        init(_ events: AsyncStream<TimedPlayerEvent>.Iterator) { self.events = events }

        /// Returns the next measurement, or nil after the player was released.
        public mutating func next() async -> PlaybackMetric? {
            while let timed = await events.next() {
                guard let kind = measure(timed) else { continue }
                return PlaybackMetric(
                    kind: kind,
                    item: timed.item,
                    itemTime: timed.itemTime,
                    hostTime: timed.hostTime
                )
            }
            return nil
        }

        private mutating func measure(_ timed: TimedPlayerEvent) -> PlaybackMetric.Kind? {
            switch timed.event {
            case .accessLogEntry(let item):
                return .started(startupTime: item.accessLog().events.last?.startupTime)
            case .playbackStalled:
                stalledAt = timed.hostTime
                return .stalled
            case .timeControlStatusChanged(.playing, _):
                guard let begin = stalledAt else { return nil }
                stalledAt = nil
                return .resumed(stalledFor: timed.hostTime - begin)
            case .currentItemChanged:
                stalledAt = nil
                return nil
            case .rateChanged(let old, let new, let reason):
                return .rateChanged(from: old, to: new, reason)
            case .seekCompleted(_, let finished): return .sought(finished: finished)
            case .passEnded(let item, let outcome): return .passEnded(outcome, item.accessLog().events.last)
            // An error that ended playback is reported by the end of the pass.
            case .errorLogEntry(_, let entry):
                let isLoss = entry.isRecovered && entry.error.code != .hardwareUnavailable
                return isLoss ? .lost(entry.error) : nil
            case .eventsLost(let count): return .eventsLost(count)
            default: return nil
            }
        }
    }

    /// Returns an iterator over the measurements from now on.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(events.makeAsyncIterator()) }
}

extension Player {
    /// The measurements from now on; see `PlaybackMetric`. Each call creates a sequence for one reader.
    public var metrics: PlaybackMetrics { PlaybackMetrics(events: core.dispatcher.makeStream()) }
}
