import DequeModule
package import MediaCore

/// The bounded queue between two stages. Its elements all belong to one epoch: beginning a new one empties
/// it, and what arrives late from an older one is dropped.
///
/// A push is never refused for want of room (the producer asks `hasRoom` first), so that a stage that holds
/// an element never has to keep it for a second try.
package final class StageQueue<Element: Sendable>: Sendable {
    /// A struct: a tuple would be copied through its type's metadata.
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

    /// Leaf lock: nothing is called while it is held.
    private let contents: Locked<Contents>

    package init(limits: QueueLimits) { contents = Locked(Contents(limits: limits)) }

    package var level: QueueLevel { contents.withLock { $0.level } }
    package var isEmpty: Bool { contents.withLock { $0.entries.isEmpty } }

    package var hasCapacity: Bool {
        contents.withLock { $0.level.isBelow($0.limits, times: 1) }
    }

    /// There is less than eight times what the limits allow: for elements that are kept by somebody else all the same.
    package var hasBurstCapacity: Bool {
        contents.withLock { $0.level.isBelow($0.limits, times: 8) }
    }

    /// There is no more than what the limits allow.
    package var isWithinLimits: Bool {
        contents.withLock { contents in
            guard contents.level.count > 1 else { return true }
            return contents.level.count <= contents.limits.count
                && contents.level.bytes <= contents.limits.bytes
                && contents.level.duration <= contents.limits.duration
        }
    }

    /// Empties the queue; from now on only elements of `epoch` are taken.
    package func begin(_ epoch: Epoch) {
        // Released outside the lock: freeing frames can be slow.
        let dropped = contents.withLock { contents in
            defer { contents = Contents(epoch: epoch, limits: contents.limits) }
            return contents.entries
        }
        _ = dropped
    }

    /// False: the element is of another epoch and was dropped.
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

    /// The oldest element and its epoch, taken out.
    package func pop() -> (element: Element, epoch: Epoch)? {
        contents.withLock { contents in
            guard let entry = contents.entries.popFirst() else { return nil }
            contents.level.count -= 1
            contents.level.bytes -= entry.cost.bytes
            contents.level.duration &-= entry.cost.duration
            return (entry.element, contents.epoch)
        }
    }

    /// The element at `index` from the front, left where it is.
    package func peek(_ index: Int = 0) -> Element? {
        contents.withLock { $0.entries.count > index ? $0.entries[index].element : nil }
    }

    /// What `body` says of the element at `index` from the front, which is not copied for it; nil where there is none.
    package func withElement<Result>(at index: Int = 0, _ body: (Element) -> Result) -> Result? {
        contents.withLock { $0.entries.count > index ? body($0.entries[index].element) : nil }
    }

    /// At most `count` elements from the front, left where they are.
    package func prefix(_ count: Int) -> [Element] {
        contents.withLock { $0.entries.prefix(count).map(\.element) }
    }
}
