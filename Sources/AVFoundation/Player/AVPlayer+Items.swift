import MediaCore
import Playhead

/// The items that a player retains.
extension AVPlayer {
    nonisolated func set(_ item: AVPlayerItem) {
        item.setOwner(self)
        player.replaceCurrentItem(with: item.item)
        hold(item)
    }

    /// The items that the player has at present.
    nonisolated var presentItems: [PlayerItem] {
        if let queue = player as? QueuePlayer { return queue.items() }
        return player.currentItem.map { [$0] } ?? []
    }

    /// Returns whether the player can have an item: no other player has it.
    nonisolated func canTake(_ item: AVPlayerItem) -> Bool {
        guard let owner = item.owner, owner !== self, owner.presentItems.contains(item.item) else {
            return true
        }
        Misuse.report(
            "an AVPlayerItem cannot be associated with more than one AVPlayer: \(item.item.asset.url)"
        )
        return false
    }

    /// Retains an item of the player until its last event in this player has been delivered.
    nonisolated func hold(_ item: AVPlayerItem) {
        items.withLock { items in
            guard presentItems.contains(item.item), !items.contains(where: { $0 === item }) else { return }
            items.append(item)
        }
    }

    /// Releases an item that has left the player before its turn, so that no event of it is pending.
    nonisolated func drop(_ item: AVPlayerItem) {
        items.withLock { items in items.removeAll { $0 === item } }
    }

    /// Releases the items that have left the player, if all events have been delivered up to the present item.
    nonisolated func releaseItems(deliveredCurrent current: PlayerItem?) {
        guard player.currentItem === current else { return }
        let left = items.withLock { items in
            let present = presentItems
            return items.filter { !present.contains($0.item) }
        }
        guard !left.isEmpty else { return }
        // A queued item that fails leaves before its failure is delivered.
        player.performAfterReportedEvents { [weak self] in self?.drop(left) }
    }

    /// Releases those of the items that are not in the player.
    private nonisolated func drop(_ left: [AVPlayerItem]) {
        items.withLock { items in
            // They are read under the lock, because another thread may insert an item, which it retains afterwards.
            let present = presentItems
            items.removeAll { item in
                !present.contains(item.item) && left.contains { $0 === item }
            }
        }
    }
}
