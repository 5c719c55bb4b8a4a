import DequeModule
package import MediaCore

/// The bounded queue between two stages.
///
/// All elements belong to one epoch: beginning a new epoch empties the queue, and late elements of an older one
/// are dropped. A push never fails because the queue is full (the producer checks `hasCapacity` first), so a
/// stage never has to retry a push.
package final class StageQueue<Element: Sendable>: Sendable {
    /// A struct, because a tuple would be copied through its type's metadata.
    private struct Entry {
        let element: Element
        let cost: QueueCost
    }

    private struct Contents {
        var epoch = Epoch()
        var entries: Deque<Entry> = []
        var level = QueueLevel()
        var limits: QueueLimits
    }

    /// A leaf lock: nothing is called while it is held.
    private let contents: Locked<Contents>

    package init(limits: QueueLimits) { contents = Locked(Contents(limits: limits)) }

    package var level: QueueLevel { contents.withLock { $0.level } }
    package var isEmpty: Bool { contents.withLock { $0.entries.isEmpty } }

    package var hasCapacity: Bool {
        contents.withLock { $0.level.isBelow($0.limits, times: 1) }
    }

    /// Whether the queue holds less than eight times its limits. It is checked for elements that a cache holds
    /// anyway.
    package var hasBurstCapacity: Bool {
        contents.withLock { $0.level.isBelow($0.limits, times: 8) }
    }

    /// Whether the queue holds no more than its limits.
    package var isWithinLimits: Bool {
        contents.withLock { contents in
            guard contents.level.count > 1 else { return true }
            return contents.level.count <= contents.limits.count
                && contents.level.bytes <= contents.limits.bytes
                && contents.level.duration <= contents.limits.duration
        }
    }

    /// Empties the queue and begins an epoch. From now on only elements of that epoch are accepted.
    package func begin(_ epoch: Epoch) {
        // Released outside the lock: freeing frames can be slow.
        let dropped = contents.withLock { contents in
            defer { contents = Contents(epoch: epoch, limits: contents.limits) }
            return contents.entries
        }
        _ = dropped
    }

    /// Appends an element. Returns false if it belongs to another epoch and was dropped.
    @discardableResult
    package func push(_ element: Element, cost: QueueCost, epoch: Epoch) -> Bool {
        contents.withLock { contents in
            guard epoch == contents.epoch else { return false }
            contents.entries.append(Entry(element: element, cost: cost))
            contents.level.count += 1
            contents.level.bytes += cost.bytes
            contents.level.duration &+= cost.duration
            return true
        }
    }

    /// Removes and returns the oldest element and its epoch, or returns nil if the queue is empty.
    package func pop() -> (element: Element, epoch: Epoch)? {
        contents.withLock { contents in
            guard let entry = contents.entries.popFirst() else { return nil }
            contents.level.count -= 1
            contents.level.bytes -= entry.cost.bytes
            contents.level.duration &-= entry.cost.duration
            return (entry.element, contents.epoch)
        }
    }

    /// Puts elements that were removed back in front of the others, in their order. Does nothing if they belong to
    /// another epoch.
    package func restore(_ elements: [(element: Element, cost: QueueCost)], epoch: Epoch) {
        contents.withLock { contents in
            guard epoch == contents.epoch else { return }
            for (element, cost) in elements.reversed() {
                contents.entries.prepend(Entry(element: element, cost: cost))
                contents.level.count += 1
                contents.level.bytes += cost.bytes
                contents.level.duration &+= cost.duration
            }
        }
    }

    /// Returns the element at `index` from the front without removing it, or nil if there is none.
    package func peek(_ index: Int = 0) -> Element? {
        contents.withLock { $0.entries.count > index ? $0.entries[index].element : nil }
    }

    /// Returns the result of `body` for the element at `index` from the front, without copying the element, or
    /// nil if there is none.
    package func withElement<Result>(at index: Int = 0, _ body: (Element) -> Result) -> Result? {
        contents.withLock { $0.entries.count > index ? body($0.entries[index].element) : nil }
    }

    /// Returns up to `count` elements from the front without removing them.
    package func prefix(_ count: Int) -> [Element] {
        contents.withLock { $0.entries.prefix(count).map(\.element) }
    }
}
