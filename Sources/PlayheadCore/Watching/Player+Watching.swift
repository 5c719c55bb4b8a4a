public import Dispatch
public import MediaCore
import PlaybackEngine
import PlayheadBackend
import Synchronization

/// A token that ends an observation or a request when it is invalidated or released. It may be used from any thread.
public final class ObservationToken: Sendable {
    private struct End {
        let body: @Sendable () -> Void
    }
    private let end: Locked<End?>

    package init(_ end: @escaping @Sendable () -> Void) { self.end = Locked(End(body: end)) }

    /// Ends the observation. Only a call that is already running completes. Further calls have no effect.
    public func invalidate() {
        let end = end.withLock { slot in
            defer { slot = nil }
            return slot
        }
        end?.body()
    }

    /// Whether the token has not been invalidated.
    var isValid: Bool { end.withLock { $0 != nil } }

    deinit { invalidate() }
}

/// The token of a time observer. The observation ends when the token is released.
public typealias TimeObserver = ObservationToken

extension Player {
    /// All changes of the player and its items as one enumeration, in causal order.
    ///
    /// No event is omitted for a reader that keeps up. A reader that falls more than 4,096 events behind gets
    /// `.eventsLost` with the number of omitted events. The sequence ends with the player. Each access creates a
    /// sequence for one reader.
    public var events: some AsyncSequence<PlayerEvent, Never> & Sendable {
        timedEvents.map(\.event)
    }

    /// The events with the times at which they occurred; see `events`.
    public var timedEvents: AsyncStream<TimedPlayerEvent> { core.dispatcher.makeStream() }

    /// Calls a handler on the callback queue for every event, in causal order.
    ///
    /// - Parameter handler: Called with each event.
    /// - Returns: A token that ends the calls when it is invalidated or released.
    public func onEvent(_ handler: @escaping @Sendable (TimedPlayerEvent) -> Void) -> ObservationToken {
        core.dispatcher.observers.add { notification in
            if let event = notification.event { handler(event) }
        }
    }

    /// Calls a closure each time an interval of item time has been played, when time jumps, and when playback starts or
    /// stops.
    ///
    /// **The observation ends when the returned token is released**, so retain it.
    ///
    /// - Parameters:
    ///   - interval: The interval of item time.
    ///   - queue: The queue for the calls. Nil means the callback queue.
    ///   - body: Called with the item time.
    /// - Returns: A token that ends the observation when it is invalidated or released.
    public func addPeriodicTimeObserver(
        forInterval interval: MediaTime,
        queue: DispatchQueue? = nil,
        using body: @escaping @Sendable (MediaTime) -> Void
    ) -> TimeObserver {
        let step = interval.nanoseconds ?? 1_000_000_000
        return addObserver(queue) { loop, id, call in
            loop.observePeriodically(id, every: step, call)
        } body: {
            body($0)
        }
    }

    /// Returns the item time each time an interval of it has been played, when time jumps, and when playback starts or
    /// stops, as `addPeriodicTimeObserver(forInterval:queue:using:)` reports it.
    ///
    /// No time is omitted for a reader that falls behind, so read the sequence as long as it is kept. It ends with the
    /// task that reads it, and with the player, which it does not retain.
    ///
    /// - Parameter interval: The interval of item time, at least a millisecond.
    /// - Returns: The times, for one reader.
    public func times(every interval: Duration) -> AsyncStream<MediaTime> {
        let (stream, continuation) = AsyncStream.makeStream(of: MediaTime.self)
        let observer = addPeriodicTimeObserver(forInterval: MediaTime(interval)) { continuation.yield($0) }
        let remove = core.dispatcher.whenFinished { continuation.finish() }
        continuation.onTermination = { _ in
            observer.invalidate()
            remove()
        }
        return stream
    }

    /// Calls a closure when playback reaches or passes one of several times, once per pass; jumps do not count.
    ///
    /// **The observation ends when the returned token is released**, so retain it.
    ///
    /// - Parameters:
    ///   - times: The item times.
    ///   - queue: The queue for the calls. Nil means the callback queue.
    ///   - body: Called at each of the times.
    /// - Returns: A token that ends the observation when it is invalidated or released.
    public func addBoundaryTimeObserver(
        forTimes times: [MediaTime],
        queue: DispatchQueue? = nil,
        using body: @escaping @Sendable () -> Void
    ) -> TimeObserver {
        let times = times.compactMap { ItemTime($0) }
        return addObserver(queue) { loop, id, call in
            loop.observeTimes(id, times, call)
        } body: { _ in
            body()
        }
    }

    /// Ends a time observation, like `ObservationToken.invalidate()`.
    ///
    /// - Parameter observer: The token of the observation.
    public func removeTimeObserver(_ observer: TimeObserver) { observer.invalidate() }

    private func addObserver(
        _ queue: DispatchQueue?,
        add: @escaping @Sendable (PlaybackLoop, UInt64, @escaping @Sendable (ItemTime) -> Void) -> Void,
        body: @escaping @Sendable (MediaTime) -> Void
    ) -> TimeObserver {
        let lane = queue.map { core.driver.makeCallbackLane($0) } ?? core.callbacks
        let isOn = Flag(true)
        let id = core.dispatcher.makeID()
        core.loop.perform { loop in
            add(loop, id) { time in
                lane.enqueue {
                    if isOn.value { body(time.mediaTime) }
                }
            }
        }
        return ObservationToken { [weak core] in
            isOn.value = false
            core?.loop.perform { $0.stopObserving(id) }
        }
    }
}

private final class Flag: Sendable {
    private let state: Atomic<Bool>
    init(_ value: Bool) { state = Atomic(value) }
    var value: Bool {
        get { state.load(ordering: .acquiring) }
        set { state.store(newValue, ordering: .releasing) }
    }
}
