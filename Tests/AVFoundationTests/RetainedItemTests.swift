import Dispatch
import MediaCore
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
}
