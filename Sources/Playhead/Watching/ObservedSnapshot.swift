import Foundation
import MediaCore
import PlaybackEngine
import Synchronization

/// A player and its item as they were at one event. Whoever is asked to compare or to read again because of
/// the event sees this, not what has happened since.
///
/// It holds for one thread and one call. A task-local value would live on in every task begun inside the
/// call, which would then see the past for ever.
final class ObservedSnapshot: Sendable {
    struct View: Sendable {
        let core: ObjectIdentifier
        let snapshot: PlaybackSnapshot
        let facts: PlayerFacts
    }

    struct ItemView: Sendable {
        let item: PlayerItem
        let facts: ItemFacts
    }

    struct LooperView: Sendable {
        let looper: PlayerLooper
        let facts: LooperFacts
    }

    /// Counts up over all players, so that an item that moves sees nothing old after something new.
    let sequence: UInt64
    let player: View?
    /// The current item first; then the one that the event is about, where that is another one.
    let items: [ItemView]
    let looper: LooperView?

    init(sequence: UInt64, player: View? = nil, items: [ItemView] = [], looper: LooperView? = nil) {
        self.sequence = sequence
        self.player = player
        self.items = items
        self.looper = looper
    }

    func facts(of item: PlayerItem) -> ItemFacts? { items.first { $0.item === item }?.facts }

    private static let count = Atomic<UInt64>(0)
    static func nextSequence() -> UInt64 { count.add(1, ordering: .relaxed).newValue }

    // MARK: The moment of this thread

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    static var current: ObservedSnapshot? {
        pthread_getspecific(key).map { Unmanaged<ObservedSnapshot>.fromOpaque($0).takeUnretainedValue() }
    }

    /// What the thread sees inside `body`.
    func during<Result>(_ body: () -> Result) -> Result {
        let before = pthread_getspecific(Self.key)
        pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
        defer { pthread_setspecific(Self.key, before) }
        return withExtendedLifetime(self, body)
    }

    /// Back to the present: the thread has set something, and what is set is what is read next.
    static func leave() { pthread_setspecific(key, nil) }
}

/// One thing that is told: what happened, and how things were before it and after it.
struct ChangeNotification: Sendable {
    /// nil: nothing happened to the player, but a layer has changed players.
    let event: TimedPlayerEvent?
    var before = PlayerFacts()
    /// Of the moment's items, in their order.
    var itemsBefore: [ItemFacts] = []
    let moment: ObservedSnapshot
}
