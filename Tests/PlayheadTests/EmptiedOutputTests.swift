import Playhead
import PlayheadTesting
import Testing

@Suite("Outputs release the frames of items that are gone")
struct EmptiedOutputTests {
    enum WayOut: CaseIterable, Sendable {
        case ranOut, replaced, removed, advanced, emptied, moved, released
    }

    @Test(
        "The player's output has no frame after the last item is removed, however it is removed",
        arguments: WayOut.allCases
    )
    func wayOut(way: WayOut) throws {
        var bench: PlayerTestBench<QueuePlayer>? = PlayerTestBench(queue: 1, of: .silentClip())
        let item = try #require(bench?.items.first)
        let (output, own) = (PlayerVideoOutput(), VideoOutput())
        bench?.player.videoOutput = output
        item.add(own)
        bench?.player.play()
        bench?.driver.run(seconds: 1)
        #expect(output.newest?.item === item)
        #expect(own.copyFrame(forItemTime: .ms(5000)) != nil)
        let other = PlayerTestBench(.silentClip())
        switch way {
        case .ranOut: bench?.driver.run(seconds: 5)
        case .replaced: bench?.player.replaceCurrentItem(with: nil)
        case .removed: bench?.player.remove(item)
        case .advanced: bench?.player.advanceToNextItem()
        case .emptied: bench?.player.removeAllItems()
        case .moved: other.player.replaceCurrentItem(with: item)
        case .released: bench = nil
        }
        #expect(output.newest == nil)
        #expect(output.sample(forHostTime: .ms(60_000)) == nil)
        // Frames by item time remain valid until the item is played again.
        #expect((own.copyFrame(forItemTime: .ms(5000)) == nil) == (way == .moved))
        bench?.driver.run(seconds: 1)
        #expect(output.newest == nil)
    }

    @Test("When the current item fails before its first frame, no frame of the previous item remains")
    func failedItem() {
        let bench = PlayerTestBench(.silentClip())
        let output = PlayerVideoOutput()
        bench.player.videoOutput = output
        bench.load()
        #expect(output.newest != nil)
        bench.load(.silentClip([.openFails(.notFound)]))
        #expect(output.newest == nil)
    }

    @Test("When an item fails during playback, its last frame remains")
    func failsLater() {
        let bench = PlayerTestBench(.silentClip())
        let output = PlayerVideoOutput()
        bench.player.videoOutput = output
        let item = bench.load(.silentClip([.lost(fromPacket: 20)]))
        bench.player.play()
        bench.driver.run(seconds: 3)
        #expect(output.newest?.item === item)
    }

    @Test("When the last item of a queue fails, no frame remains")
    func lastFails() {
        let bench = PlayerTestBench(queue: 1, of: .silentClip())
        let output = PlayerVideoOutput()
        bench.player.videoOutput = output
        bench.player.insert(bench.makeItem(.silentClip([.openFails(.notFound)])), after: nil)
        bench.player.play()
        bench.driver.run(seconds: 10)
        #expect(bench.player.items().isEmpty)
        #expect(output.newest == nil)
    }

    @Test("An output that moves to another item, or is removed, has no frame of the previous one")
    func otherItem() {
        let bench = PlayerTestBench(.silentClip())
        let output = VideoOutput()
        let item = bench.makeItem()
        item.add(output)
        bench.load(item)
        #expect(output.copyFrame(forItemTime: .ms(10)) != nil)
        bench.makeItem().add(output)
        #expect(output.copyFrame(forItemTime: .ms(10)) == nil)
        item.add(output)
        bench.player.seek(to: .ms(40), toleranceBefore: .zero, toleranceAfter: .zero)
        bench.driver.run(seconds: 0)
        #expect(output.copyFrame(forItemTime: .ms(50)) != nil)
    }
}
