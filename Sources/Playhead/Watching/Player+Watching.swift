public import Dispatch
public import MediaCore
import PlaybackEngine
import PlayheadBackend
import Synchronization

/// Ends what it stands for when it is invalidated or released. Any thread, any number of times.
public final class ObservationToken: Sendable {
    private struct End {
        let body: @Sendable () -> Void
    }
    private let end: Locked<End?>

    init(_ end: @escaping @Sendable () -> Void) { self.end = Locked(End(body: end)) }

    /// Nothing is called from now on, except what runs already.
    public func invalidate() {
        let end = end.withLock { slot in
            defer { slot = nil }
            return slot
        }
        end?.body()
    }

    /// Not invalidated yet.
    var isValid: Bool { end.withLock { $0 != nil } }

    deinit { invalidate() }
}

/// What `addPeriodicTimeObserver` and `addBoundaryTimeObserver` return; released, it removes itself.
public typealias TimeObserver = ObservationToken

extension Player {
    /// Every change as one enum, in causal order. Lossless for a reader that keeps up; one that lags more
    /// than 4,096 events behind is told with `.eventsLost` how many it missed. Ends with the player.
    public var events: some AsyncSequence<PlayerEvent, Never> & Sendable {
        timedEvents.map(\.event)
    }

    /// The same events with the times at which they happened.
    public var timedEvents: AsyncStream<TimedPlayerEvent> { core.watchers.makeStream() }

    /// Calls `handler` on the callback queue for every event, in causal order, until the token goes.
    public func onEvent(_ handler: @escaping @Sendable (TimedPlayerEvent) -> Void) -> ObservationToken {
        core.watchers.observers.add { telling in
            if let event = telling.event { handler(event) }
        }
    }

    /// Calls `body` on `queue` (nil: the callback queue) each time `interval` of item time has passed while
    /// playing, when time jumps, and when playback starts or stops. Released, the observer ends.
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

    /// Calls `body` on `queue` (nil: the callback queue) when playing reaches or passes one of `times`, once
    /// per pass, never for a jump. Released, the observer ends.
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

    /// The same as `observer.invalidate()`.
    public func removeTimeObserver(_ observer: TimeObserver) { observer.invalidate() }

    private func addObserver(
        _ queue: DispatchQueue?,
        add: @escaping @Sendable (PlaybackLoop, UInt64, @escaping @Sendable (ItemTime) -> Void) -> Void,
        body: @escaping @Sendable (MediaTime) -> Void
    ) -> TimeObserver {
        let lane = queue.map { core.driver.makeCallbackLane($0) } ?? core.callbacks
        let isOn = Flag(true)
        let id = core.watchers.makeID()
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
