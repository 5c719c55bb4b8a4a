import Dispatch
import MediaCore
import PlayheadTesting
import Testing

@testable import AVFoundation

@Suite("The items that a player retains")
struct RetainedItemTests {
    @Test("An item that is inserted while another thread delivers the change of the current item is retained")
    func insertedDuringDelivery() {
        let bench = AdapterBench()
        let player = bench.make { AVQueuePlayer(url: bench.url) }
        let first = player.currentItem!.item
        let retained = (player as AVPlayer).items
        let isDone = Locked(false)
        let deliveries = DispatchGroup()
        DispatchQueue.global().async(group: deliveries) {
            while !isDone.withLock({ $0 }) { player.releaseItems(deliveredCurrent: first) }
        }
        var lostCount = 0
        for _ in 0..<2000 {
            let item = bench.make { AVPlayerItem(url: bench.url) }
            player.insert(item, after: nil)
            if !retained.withLock({ items in items.contains { $0 === item } }) { lostCount += 1 }
            player.remove(item)
        }
        isDone.withLock { $0 = true }
        deliveries.wait()
        #expect(lostCount == 0)
    }

    @Test("A queued item that fails is retained until its failure has been delivered")
    func failedInQueue() {
        let bench = AdapterBench()
        let broken = bench.backend.add(.silentClip([.openFails(.unrecognizedFormat)]))
        let player = bench.make { AVQueuePlayer(url: bench.url) }
        weak var item: AVPlayerItem?
        var observation: NSKeyValueObservation?
        do {
            let queued = bench.make { AVPlayerItem(url: broken) }
            player.insert(queued, after: nil)
            observation = queued.observe(\.status) { item, _ in bench.add("status \(item.status.rawValue)") }
            item = queued
        }
        let tokens = NotificationTokens()
        // A busy queue delivers the change to the current item when the queued item has left already.
        tokens.add(.AVPlayerItemNewErrorLogEntry, nil) { [weak player] note in
            guard let player, ((note.object as? AVPlayerItem)?.asset as? AVURLAsset)?.url == broken else {
                return
            }
            bench.add("left \(player.items().count == 1)")
            player.releaseItems(deliveredCurrent: player.currentItem?.item)
        }
        player.play()
        bench.run(1.9)
        #expect(bench.lines() == ["left true", "status 2"])
        #expect(item == nil)
        observation?.invalidate()
        withExtendedLifetime(tokens) {}
    }

    @Test("Queued items are released when the queue is emptied while there is no current item")
    func emptiedWithoutCurrentItem() {
        let bench = AdapterBench()
        let player = bench.make { AVQueuePlayer(url: bench.url) }
        weak var item: AVPlayerItem?
        do {
            let queued = bench.make { AVPlayerItem(url: bench.url) }
            player.insert(queued, after: nil)
            item = queued
        }
        player.replaceCurrentItem(with: nil)
        bench.run(0.1)
        #expect(item != nil && player.currentItem == nil)
        player.removeAllItems()
        bench.run(0.1)
        #expect(item == nil)
    }
}
