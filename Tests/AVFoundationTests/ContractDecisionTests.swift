import AVFoundation
import MediaCore
import Playhead
import PlayheadTesting
import Testing

/// Decisions of docs/avfoundation.md on clauses of the contract in which Playhead is better, where the adapters do something of their own.
@Suite("Decisions on the contract")
struct ContractDecisionTests {
    @Test("A seek with a tolerance that is negative or no number is not made, and its handler gets false")
    func oddTolerances() {
        let bench = AdapterBench()
        let player = bench.make { AVPlayer(url: bench.url) }
        bench.run(0)
        let second = CMTime(value: 1, timescale: 1)
        for tolerance in [CMTime(value: -1, timescale: 1), .invalid, .indefinite, .negativeInfinity] {
            player.seek(to: second, toleranceBefore: tolerance, toleranceAfter: .zero) { bench.add("\($0)") }
            player.currentItem!.seek(to: second, toleranceBefore: .zero, toleranceAfter: tolerance) {
                bench.add("\($0)")
            }
        }
        for time in [CMTime.invalid, .indefinite] {
            player.seek(to: time) { bench.add("\($0)") }
        }
        bench.run(1)
        #expect(bench.lines() == Array(repeating: "false", count: 10) && player.currentTime() == .zero)
    }

    @Test("A seek before the item is ready sets its start, and its handler is called")
    func earlySeek() {
        let bench = AdapterBench()
        let player = bench.make { AVPlayer(url: bench.url) }
        #expect(player.currentItem!.status == .unknown)
        player.seek(to: CMTime(value: 1, timescale: 1), toleranceBefore: .zero, toleranceAfter: .zero) {
            bench.add("seek \($0)")
        }
        bench.run(1)
        #expect(bench.lines() == ["seek true"] && player.currentTime().seconds == 1)
    }

    @Test("A looper with an empty range fails")
    func emptyLoop() {
        let bench = AdapterBench()
        let player = bench.make { AVQueuePlayer() }
        let looper = bench.make {
            AVPlayerLooper(
                player: player,
                templateItem: AVPlayerItem(url: bench.url),
                timeRange: CMTimeRange(start: CMTime(value: 1, timescale: 1), duration: .zero)
            )
        }
        bench.run(1)
        #expect(looper.status == .failed && looper.error is AVError)
    }

    @Test("A queue whose current item is replaced by nil keeps its other items")
    func replacedByNil() {
        let bench = AdapterBench()
        let items = bench.make { (0..<3).map { _ in AVPlayerItem(url: bench.url) } }
        let player = bench.make { AVQueuePlayer(items: items) }
        player.play()
        bench.run(0.5)
        player.replaceCurrentItem(with: nil)
        bench.run(0.5)
        #expect(player.currentItem == nil && player.items() == [items[1], items[2]])
        player.advanceToNextItem()
        bench.run(0.5)
        #expect(player.currentItem === items[1] && player.currentTime().seconds > 0)
    }

    @Test("A duplicate and an item of another player are not inserted, and an item stays in its position")
    func refusedItems() {
        let bench = AdapterBench()
        let items = bench.make { (0..<2).map { _ in AVPlayerItem(url: bench.url) } }
        let player = bench.make { AVQueuePlayer(items: [items[0], items[1], items[0]]) }
        #expect(player.items() == items)
        player.insert(items[0], after: items[1])
        #expect(player.items() == items && !player.canInsert(items[1], after: nil))
        let other = bench.make { AVQueuePlayer(items: items) }
        #expect(other.items().isEmpty && player.items() == items)
    }

    @Test("After a stall a player without automatic waiting stays paused, also after a seek to buffered data")
    func stallThenSeek() {
        let bench = AdapterBench(.silentClip([.stall(atPacket: 25, until: 5)]))
        let player = bench.make { AVPlayer(url: bench.url) }
        player.automaticallyWaitsToMinimizeStalling = false
        player.play()
        bench.run(3)
        #expect(player.rate == 0 && player.timeControlStatus == .paused)
        player.seek(to: .zero)
        bench.run(10)
        #expect(player.rate == 0 && player.currentTime() == .zero)
        player.play()
        bench.run(5)
        #expect(player.currentTime().seconds == 2)
    }

    @Test("An end is reported once; play() at the end reports it again and moves nothing")
    func playAtTheEnd() {
        let bench = AdapterBench()
        let player = bench.make { AVPlayer(url: bench.url) }
        let tokens = NotificationTokens()
        tokens.add(.AVPlayerItemDidPlayToEndTime, player.currentItem) { _ in bench.add("end") }
        player.play()
        bench.run(5)
        #expect(bench.lines() == ["end"])
        player.play()
        bench.run(1)
        #expect(bench.lines() == ["end"] && player.rate == 0 && player.currentTime().seconds == 2)
    }

    @Test("An asset that is created does no I/O, and cancelling its loading is final")
    func lazyAsset() {
        let bench = AdapterBench()
        let asset = bench.make { AVURLAsset(url: bench.url) }
        bench.run(1)
        #expect(asset.statusOfValue(forKey: "duration", error: nil) == .unknown)
        asset.cancelLoading()
        asset.loadValuesAsynchronously(forKeys: ["duration"]) { bench.add("called") }
        bench.run(1)
        #expect(asset.statusOfValue(forKey: "duration", error: nil) == .cancelled)
    }

    @Test("A player that is released in its own notification is not called any more")
    func releasedInside() {
        let bench = AdapterBench()
        let player = Locked<AVPlayer?>(bench.make { AVPlayer(url: bench.url) })
        let tokens = NotificationTokens()
        let observation = player.withLock { $0 }!.observe(\.rate) { _, _ in bench.add("rate") }
        tokens.add(.AVPlayerItemDidPlayToEndTime, nil) { _ in
            let released = player.withLock { player in
                defer { player = nil }
                return player
            }
            if released != nil { bench.add("end") }
        }
        player.withLock { $0 }!.play()
        bench.run(10)
        #expect(bench.lines() == ["rate", "end"])
        observation.invalidate()
    }
}
