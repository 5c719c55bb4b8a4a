import Glibc
import MediaCore
import PlaybackEngine
import Synchronization

/// The state of a player and its items at an event. Code that compares or reads values because of the event sees this
/// state and not a later one.
///
/// It applies to one thread and one call. A task-local value would be inherited by every task that is started inside
/// the call, which would then see the past indefinitely.
final class ObservedSnapshot: Sendable {
    struct View: Sendable {
        let core: ObjectIdentifier
        let snapshot: PlaybackSnapshot
        let facts: PlayerFacts
        /// The current item and the one that it interrupts, without an interstitial that was cancelled before it began.
        var current: [ObjectIdentifier] = []
    }

    struct ItemView: Sendable {
        let item: PlayerItem
        let facts: ItemFacts
    }

    struct LooperView: Sendable {
        let looper: PlayerLooper
        let facts: LooperFacts
    }

    /// The sequence number, which is counted over all players, so that an item that moves to another player never
    /// sees an older state after a newer one.
    let sequence: UInt64
    let player: View?
    /// The current item, followed by the item of the event if that is another one.
    let items: [ItemView]
    let looper: LooperView?

    init(sequence: UInt64, player: View? = nil, items: [ItemView] = [], looper: LooperView? = nil) {
        self.sequence = sequence
        self.player = player
        self.items = items
        self.looper = looper
    }

    /// Returns the same state with another number, by default the next one, for a change that has no event.
    func numbered(_ sequence: UInt64 = nextSequence()) -> ObservedSnapshot {
        ObservedSnapshot(sequence: sequence, player: player, items: items)
    }

    func facts(of item: PlayerItem) -> ItemFacts? { items.first { $0.item === item }?.facts }

    private static let count = Atomic<UInt64>(0)
    static func nextSequence() -> UInt64 { count.add(1, ordering: .relaxed).newValue }

    // MARK: The snapshot of this thread

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    static var current: ObservedSnapshot? {
        pthread_getspecific(key).map { Unmanaged<ObservedSnapshot>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Makes the snapshot visible to the thread inside `body`.
    func withCurrent<Result>(_ body: () -> Result) -> Result {
        let before = pthread_getspecific(Self.key)
        pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
        defer { pthread_setspecific(Self.key, before) }
        return withExtendedLifetime(self, body)
    }

    /// Removes the snapshot from the thread, which then sees the present state. A setter calls this, so that the value
    /// that was set is read next.
    static func discardCurrent() { pthread_setspecific(key, nil) }
}

/// A change to deliver: the event, and the state before and after it.
struct ChangeNotification: Sendable {
    /// The event, or nil for a change of a looper or of a layer's player.
    let event: TimedPlayerEvent?
    var before = PlayerFacts()
    /// The facts of `observed.items` before the event, in the same order.
    var itemsBefore: [ItemFacts] = []
    /// The state after the event.
    let observed: ObservedSnapshot
}
