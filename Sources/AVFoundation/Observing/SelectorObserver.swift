import Foundation
import MediaCore

/// An observer of notifications that is called by a selector.
///
/// `@unchecked Sendable`: the weak references are read atomically and never written after `init`, the other properties are
/// constants, and `Locked` guards the state. The token is only passed to its center, which may be used from any thread.
final class SelectorObserver: @unchecked Sendable {
    private struct Table: Sendable {
        var entries: [ObjectIdentifier: [SelectorObserver]] = [:]
        var count = 0
        /// The number of entries at which the next addition removes those of released objects and senders.
        var limit = SelectorObserver.minimumLimit

        /// Removes the observers of released objects, and those of released senders.
        ///
        /// - Returns: The removed observers, and the objects and senders of all.
        mutating func prune() -> (released: [SelectorObserver], loaded: [AnyObject?]) {
            let all = entries.values.joined().map { (observer: $0, object: $0.object, sender: $0.sender) }
            let isReleased = all.map { entry in
                entry.object == nil || entry.observer.senderID != nil && entry.sender == nil
            }
            let kept = zip(all, isReleased).filter { !$1 }.map(\.0.observer)
            entries = Dictionary(grouping: kept, by: \.objectID)
            count = kept.count
            limit = max(SelectorObserver.minimumLimit, 2 * count)
            let released = zip(all, isReleased).filter { $1 }.map(\.0.observer)
            return (released, all.flatMap { [$0.object, $0.sender] })
        }
    }
    private static let minimumLimit = 64
    private static let table = Locked(Table())

    private weak var object: AnyObject?
    private let objectID: ObjectIdentifier
    private weak var center: NotificationCenter?
    private let centerID: ObjectIdentifier
    private let name: NSNotification.Name?
    private weak var sender: AnyObject?
    private let senderID: ObjectIdentifier?
    private let state = Locked(State())

    /// `@unchecked Sendable`: see `SelectorObserver`.
    private struct State: @unchecked Sendable {
        var token: (any NSObjectProtocol)?
        var isRemoved = false
    }

    private init(
        _ object: AnyObject,
        _ center: NotificationCenter,
        _ name: NSNotification.Name?,
        _ sender: AnyObject?
    ) {
        self.object = object
        objectID = ObjectIdentifier(object)
        self.center = center
        centerID = ObjectIdentifier(center)
        self.name = name
        self.sender = sender
        senderID = sender.map { ObjectIdentifier($0) }
    }

    /// Returns the number of observers in a center that have not been removed.
    static func count(in center: NotificationCenter) -> Int {
        let id = ObjectIdentifier(center)
        return table.withLock { $0.entries.values.joined().count { $0.centerID == id } }
    }

    /// Adds an observer for an object. Neither the object nor the sender is retained.
    static func add(
        _ object: AnyObject,
        _ selector: Selector,
        _ center: NotificationCenter,
        _ name: NSNotification.Name?,
        _ sender: AnyObject?
    ) {
        let observer = SelectorObserver(object, center, name, sender)
        // The objects that are loaded are released outside the lock, because their deinitializers may remove them.
        let (released, loaded) = table.withLock { table in
            defer {
                table.entries[observer.objectID, default: []].append(observer)
                table.count += 1
            }
            return table.count >= table.limit ? table.prune() : ([], [])
        }
        withExtendedLifetime(loaded) {}
        for observer in released { observer.end() }
        // Foundation retains a sender that it is given.
        observer.begin(
            center.addObserver(forName: name, object: nil as Any?, queue: nil) {
                [weak observer] notification in
                guard let observer, observer.observes(notification) else { return }
                if let object = observer.object {
                    selector.call(object, notification)
                } else {
                    observer.remove()
                }
            }
        )
    }

    /// Returns whether a notification is of the sender that is observed. After the release of the sender, the observer
    /// removes itself.
    private func observes(_ notification: Notification) -> Bool {
        guard senderID != nil else { return true }
        if let sender { return notification.object.map { $0 as AnyObject } === sender }
        remove()
        return false
    }

    /// Removes the observers of an object.
    ///
    /// - Parameters:
    ///   - object: The object, which may be in its deinitializer.
    ///   - center: The center.
    ///   - name: The name that they observe, or nil for any.
    ///   - sender: The sender that they observe, or nil for any.
    static func remove(
        _ object: AnyObject,
        _ center: NotificationCenter,
        _ name: NSNotification.Name? = nil,
        _ sender: AnyObject? = nil
    ) {
        let (centerID, senderID) = (ObjectIdentifier(center), sender.map { ObjectIdentifier($0) })
        removeAll(at: ObjectIdentifier(object)) { observer in
            observer.centerID == centerID && (name == nil || name == observer.name)
                && (senderID == nil || senderID == observer.senderID)
        }
    }

    private func remove() { Self.removeAll(at: objectID) { $0 === self } }

    private static func removeAll(at id: ObjectIdentifier, where matches: (SelectorObserver) -> Bool) {
        let removed = table.withLock { table in
            let known = table.entries[id] ?? []
            let (removed, kept) = (known.filter(matches), known.filter { !matches($0) })
            table.entries[id] = kept.isEmpty ? nil : kept
            table.count -= removed.count
            return removed
        }
        for observer in removed { observer.end() }
    }

    private func begin(_ token: any NSObjectProtocol) {
        let isRemoved = state.withLock { state in
            state.token = token
            return state.isRemoved
        }
        if isRemoved { end() }
    }

    private func end() {
        let token = state.withLock { state in
            defer { state = State(token: nil, isRemoved: true) }
            return state.token
        }
        if let token { center?.removeObserver(token as Any) }
    }
}
