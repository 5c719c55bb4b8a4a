import Playhead
import PlayheadTesting
import Testing

@Suite("Contract: queues and loopers, clause by clause")
struct QueueContractTests {
    @Test(
        "When the current item is removed, the next one plays without an end event; without a next one the player waits"
    )
    func removed() {
        for way in 0..<2 {
            let bench = PlayerTestBench(queue: 3, of: .silentClip())
            let player = bench.player
            player.play()
            bench.driver.run(until: .ms(100))
            for index in 0..<3 {
                #expect(player.currentItem === bench.items[index])
                if way == 0 { player.remove(bench.items[index]) } else { player.advanceToNextItem() }
                #expect(player.items() == Array(bench.items[(index + 1)...]))
                bench.driver.run(seconds: 0.1)
                #expect(player.rate == 1)
            }
            #expect(player.currentItem == nil)
            #expect(bench.stateLine == "1.0 waitingToPlayAtSpecifiedRate noItemToPlay")
            #expect(bench.takeLines(of: "end").isEmpty)
            #expect(bench.videoSink.numbers == (0..<3).flatMap { _ in [0, 1, 2] })
            bench.driver.run(atMost: 60)
        }
    }

    @Test(
        "When all items are removed, time stops, the rate is kept, and the next item plays without a call of play()"
    )
    func emptied() {
        let bench = PlayerTestBench(queue: 2, of: .silentClip())
        bench.player.play()
        bench.driver.run(until: .ms(100))
        bench.player.removeAllItems()
        #expect(bench.player.items().isEmpty && bench.player.currentItem == nil)
        bench.driver.run(seconds: 5)
        #expect(bench.stateLine == "1.0 waitingToPlayAtSpecifiedRate noItemToPlay")
        #expect(bench.takeLines(of: "end").isEmpty)
        bench.player.insert(bench.makeItem(), after: nil)
        bench.driver.run(seconds: 0.5)
        #expect(bench.stateLine == "1.0 playing")
        #expect(bench.player.currentTime() == .ms(500))
    }

    @Test("A current item that is removed at once does not make the queue advance")
    func removedAtOnce() {
        for way in 0..<2 {
            let bench = PlayerTestBench(queue: 0)
            let items = (0..<4).map { _ in bench.makeItem(.silentClip()) }
            let player = QueuePlayer(items: [items[0], items[1]], configuration: bench.player.configuration)
            player.play()
            player.replaceCurrentItem(with: nil)
            if way == 1 {
                player.replaceCurrentItem(with: items[2])
                player.replaceCurrentItem(with: nil)
            }
            bench.driver.run(seconds: 0.5)
            #expect(player.currentItem == nil && player.items() == [items[1]])
            player.insert(items[3], after: nil)
            bench.driver.run(seconds: 0.5)
            #expect(player.items() == [items[1], items[3]])
            #expect(items[1].currentTime() == .ms(500))
            player.removeAllItems()
            bench.driver.settle()
        }
    }

    @Test("A scheduled start applies to the item for which it was set, and the next item begins at its start")
    func scheduledStartOfItemThatLeft() {
        let bench = PlayerTestBench(queue: 0)
        bench.player.insert(bench.makeItem(.silentClip([.hang(atPacket: 0)])), after: nil)
        bench.player.insert(bench.makeItem(.silentClip()), after: nil)
        bench.driver.settle()
        bench.player.setRate(1, time: .invalid, atHostTime: .ms(100))
        bench.driver.run(seconds: 1)
        bench.player.advanceToNextItem()
        bench.driver.run(seconds: 0.5)
        #expect(bench.player.rate == 1)
        #expect(bench.player.currentTime() == .ms(500))
    }

    @Test("An item that is listed twice is inserted once")
    func listedTwice() {
        let bench = PlayerTestBench(queue: 2, of: .silentClip())
        let (first, second) = (bench.makeItem(), bench.makeItem())
        let player = QueuePlayer(items: [first, second, first], configuration: bench.player.configuration)
        #expect(player.items() == [first, second])
        let other = QueuePlayer(items: [second], configuration: bench.player.configuration)
        #expect(player.items() == [first] && other.items() == [second])
        bench.driver.settle()
    }

    @Test(
        "When looping is disabled or the looper is released, the pass ends and the queue's items follow",
        arguments: [true, false]
    )
    func loopingOver(isReleased: Bool) {
        let bench = PlayerTestBench(queue: 0, of: .silentClip())
        let template = bench.makeItem()
        var looper: PlayerLooper? = PlayerLooper(player: bench.player, templateItem: template)
        let copies = looper?.loopingPlayerItems ?? []
        #expect(copies.count == 3 && Set(copies.map(\.id)).count == 3)
        #expect(copies.allSatisfy { $0 !== template && $0.asset === template.asset })
        #expect(bench.player.items() == copies)
        let last = bench.makeItem(ScriptedMedia(video: .init(frameCount: 5)))
        bench.player.insert(last, after: nil)
        bench.player.play()
        bench.driver.run(until: .ms(2500))
        #expect(looper?.loopCount == 1)
        if isReleased { looper = nil } else { looper?.disableLooping() }
        bench.driver.run(until: .ms(3900))
        #expect(bench.player.currentItem === copies[1])
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == Array(0..<50) + Array(0..<50) + Array(0..<5))
        #expect(bench.player.items().isEmpty)
        looper?.disableLooping()
    }
}
