import Playhead
import PlayheadTesting
import Testing

@Suite("Position of a looper's copies in a queue that already has items")
struct LooperOrderingTests {
    private static let short = ScriptedMedia(video: .init(frameCount: 10))

    @Test(
        "Before the items: the first copy is current at once, and after looping the items continue where they were"
    )
    func precede() {
        let bench = PlayerTestBench(queue: 2, of: .silentClip())
        let (player, first, second) = (bench.player, bench.items[0], bench.items[1])
        player.play()
        bench.driver.run(until: .ms(1000))
        let looper = PlayerLooper(player: player, templateItem: bench.makeItem(Self.short))
        let copies = looper.loopingPlayerItems
        #expect(player.items() == copies + [first, second])
        #expect(first.currentTime() == .ms(1000))
        bench.driver.run(until: .ms(2300))
        #expect(looper.loopCount == 3 && looper.status == .ready)
        #expect(player.items() == [copies[0], copies[1], copies[2], first, second])
        looper.disableLooping()
        #expect(player.items() == [copies[0], first, second])
        bench.driver.run(seconds: 10)
        let passes = (0..<4).flatMap { _ in 0..<10 }
        #expect(bench.videoSink.numbers == Array(0...25) + passes + Array(25..<50) + Array(0..<50))
    }

    @Test("After the items: these are played first, and so is an item that is added to them later")
    func follow() {
        let bench = PlayerTestBench(queue: 1, of: .silentClip())
        let player = bench.player
        let looper = PlayerLooper(
            player: player,
            templateItem: bench.makeItem(Self.short),
            existingItemsOrdering: .loopingItemsFollowExistingItems
        )
        #expect(player.items() == bench.items + looper.loopingPlayerItems)
        player.play()
        bench.driver.run(until: .ms(2990))
        #expect(looper.loopCount == 2)
        let later = bench.makeItem(ScriptedMedia(video: .init(frameCount: 5)))
        player.insert(later, after: nil)
        bench.driver.run(until: .ms(4390))
        // Two copies and the rest of the played one precede the added item's frames, and then the copies repeat.
        let passes = (0..<3).flatMap { _ in 0..<10 }
        #expect(
            bench.videoSink.numbers == Array(0..<50) + passes + Array(0..<10) + Array(0..<10) + Array(0..<5)
                + Array(0..<5)
        )
        withExtendedLifetime(looper) {}
    }

    @Test("With the template item in the queue as well, every pass plays a copy")
    func sameItem() {
        let bench = PlayerTestBench(queue: 1, of: Self.short)
        let template = bench.items[0]
        let looper = PlayerLooper(player: bench.player, templateItem: template)
        let output = VideoOutput()
        for item in looper.loopingPlayerItems { item.add(output) }
        bench.player.play()
        bench.driver.run(until: .ms(1990))
        #expect(looper.loopCount == 4)
        #expect(bench.videoSink.numbers == (0..<5).flatMap { _ in 0..<10 })
        #expect(template.currentTime() == .zero && bench.player.items().last === template)
    }

    @Test(
        "A copy that is removed does not return by itself, and looping continues with the next copy"
    )
    func removed() {
        let bench = PlayerTestBench(queue: 0, of: Self.short)
        let player = bench.player
        let looper = PlayerLooper(player: player, templateItem: bench.makeItem())
        let copies = looper.loopingPlayerItems
        player.play()
        bench.driver.run(until: .ms(600))
        player.replaceCurrentItem(with: nil)
        bench.driver.run(seconds: 1)
        #expect(player.currentItem == nil && player.items() == [copies[2], copies[0]])
        player.advanceToNextItem()
        bench.driver.run(seconds: 2)
        #expect(bench.stateLine == "1.0 playing" && looper.status == .ready)
        #expect(Set(player.items()) == Set(copies))
        player.removeAllItems()
        bench.driver.run(seconds: 1)
        #expect(player.items().isEmpty)
        player.insert(bench.makeItem(), after: nil)
        bench.driver.run(seconds: 1)
        #expect(player.items().isEmpty, "the inserted item was played, and no copy")
        looper.disableLooping()
    }

    @Test("The pass after a copy that was removed is counted, also if another item is played in between")
    func countedAfterRemoval() {
        let bench = PlayerTestBench(queue: 0, of: Self.short)
        let player = bench.player
        let looper = PlayerLooper(player: player, templateItem: bench.makeItem())
        player.play()
        bench.driver.run(until: .ms(600))
        player.replaceCurrentItem(with: nil)
        bench.driver.run(until: .ms(1600))
        #expect(looper.loopCount == 1)
        player.advanceToNextItem()
        bench.driver.run(until: .ms(1800))
        #expect(looper.loopCount == 2)
        player.replaceCurrentItem(with: nil)
        bench.driver.run(until: .ms(2600))
        player.replaceCurrentItem(with: bench.makeItem())
        bench.driver.run(until: .ms(2800))
        #expect(looper.loopCount == 2)
        bench.driver.run(until: .ms(3200))
        #expect(looper.loopCount == 3)
        looper.disableLooping()
    }

    @Test(
        "A looper that takes the place of another one loops, and the action at an item's end is that before both",
        arguments: [Player.ActionAtItemEnd.none, .pause]
    )
    func successor(action: Player.ActionAtItemEnd) {
        let bench = PlayerTestBench(queue: 0, of: Self.short)
        let player = bench.player
        player.actionAtItemEnd = action
        var looper: PlayerLooper? = PlayerLooper(player: player, templateItem: bench.makeItem())
        player.play()
        bench.driver.run(until: .ms(600))
        #expect(looper?.loopCount == 1)
        // The former looper is released when the new one has begun.
        looper = PlayerLooper(player: player, templateItem: bench.makeItem())
        #expect(player.actionAtItemEnd == .advance)
        bench.driver.run(seconds: 2)
        #expect(looper.map { $0.loopCount >= 3 } == true)
        looper = nil
        #expect(player.actionAtItemEnd == action)
    }
}
