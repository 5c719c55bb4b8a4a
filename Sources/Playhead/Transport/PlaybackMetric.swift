public import MediaCore

/// One measurement of playing, and when it was made.
public struct PlaybackMetric: Sendable {
    /// What was measured.
    public enum Kind: Sendable {
        /// The item runs for the first time in this player; host nanoseconds from the player's taking it to its
        /// first frame (or audio) at the sinks, nil where it was ready before its turn.
        case started(startupTime: Int64?)
        /// The data ran out while playing.
        case stalled
        /// Playing goes on after a stall; host nanoseconds that it stood.
        case resumed(stalledFor: Int64)
        /// The rate is another one, and why.
        case rateChanged(from: Float, to: Float, PlayerEvent.RateChange)
        /// A seek is over; false: another one, or another item, came before it was done.
        case sought(finished: Bool)
        /// With the item's entry in the access log as it is when this is read; nil: it never ran.
        case passEnded(PlayerEvent.PassOutcome, AccessLog.Event?)
        /// Something was lost, and playing went on.
        case lost(PlaybackError)
        /// Events were told faster than this was read: so many were left out before the next one.
        case eventsLost(Int)
    }

    /// What was measured.
    public let kind: Kind
    /// The item that was current; nil: none.
    public let item: PlayerItem?
    /// On the item's timeline.
    public let itemTime: MediaTime
    /// On the player's clock.
    public let hostTime: HostTime
}

/// Measurements as they are made, derived from the player's events and in their order. Each iterator hears of
/// what happens from its making on, and ends with the player.
public struct PlaybackMetrics: AsyncSequence, Sendable {
    let events: AsyncStream<TimedPlayerEvent>

    public struct AsyncIterator: AsyncIteratorProtocol {
        var events: AsyncStream<TimedPlayerEvent>.Iterator
        private var stalledAt: HostTime?

        init(_ events: AsyncStream<TimedPlayerEvent>.Iterator) { self.events = events }

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
                return .resumed(stalledFor: timed.hostTime.nanoseconds(since: begin))
            case .currentItemChanged:
                stalledAt = nil
                return nil
            case .rateChanged(let old, let new, let reason):
                return .rateChanged(from: old, to: new, reason)
            case .seekCompleted(_, let finished): return .sought(finished: finished)
            case .passEnded(let item, let outcome): return .passEnded(outcome, item.accessLog().events.last)
            // What ended playing is how the pass ended.
            case .errorLogEntry(_, let entry):
                let isLoss = entry.isRecovered && entry.error.code != .hardwareUnavailable
                return isLoss ? .lost(entry.error) : nil
            case .eventsLost(let count): return .eventsLost(count)
            default: return nil
            }
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(events.makeAsyncIterator()) }
}

extension Player {
    /// Measurements from now on; see `PlaybackMetric`. Each call makes a sequence of its own, for one reader.
    public var metrics: PlaybackMetrics { PlaybackMetrics(events: core.watchers.makeStream()) }
}
