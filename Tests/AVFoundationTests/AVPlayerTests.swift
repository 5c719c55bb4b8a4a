import AVFoundation
import MediaCore
import Playhead
import PlayheadTesting
import TestSupport
import Testing

@Suite("AVPlayer over a player")
struct AVPlayerTests {
    private final class Item: AVPlayerItem {
        let name: String
        nonisolated init(_ name: String, _ asset: AVAsset) {
            self.name = name
            super.init(asset: asset, automaticallyLoadedAssetKeys: ["duration"])
        }
    }

    private final class Recording: AVPlayer {
        nonisolated let log = Locked<[String]>([])
        override func play() {
            log.withLock { $0.append("play") }
            super.play()
        }
    }

    @Test("Subclasses of the player and the item are what getters, notifications and observers get")
    func subclasses() {
        let bench = AdapterBench()
        let (player, item) = bench.make { (Recording(), Item("one", AVURLAsset(url: bench.url))) }
        let tokens = NotificationTokens()
        tokens.add(.AVPlayerItemDidPlayToEndTime, item) {
            bench.add("end of \(($0.object as? Item)?.name ?? "-")")
        }
        let observation = player.observe(\.currentItem, options: .new) { player, change in
            bench.add("\((change.newValue as? Item)?.name ?? "-") \(player.log.withLock { $0 })")
        }
        player.replaceCurrentItem(with: item)
        player.play()
        bench.run(5)
        #expect(bench.lines() == ["one [\"play\"]", "end of one"])
        let copy = item.copy()
        #expect(copy is AVPlayerItem && (copy as? AVPlayerItem) !== item)
        #expect((copy as? AVPlayerItem)?.asset === item.asset)
        observation.invalidate()
    }

    @Test("An item that another player has is not set, as long as that player exists")
    func oneOwner() {
        let bench = AdapterBench()
        var first: AVPlayer? = bench.make { AVPlayer(url: bench.url) }
        let item = first!.currentItem!
        let second = bench.make { AVPlayer() }
        second.replaceCurrentItem(with: item)
        #expect(second.currentItem == nil && first!.currentItem === item)
        let third = bench.make { AVPlayer(playerItem: item) }
        #expect(third.currentItem == nil)
        let queue = bench.make { AVQueuePlayer(items: [item]) }
        #expect(queue.items().isEmpty && !queue.canInsert(item, after: nil))
        bench.run(0)
        first = nil
        second.replaceCurrentItem(with: item)
        #expect(second.currentItem === item)
        second.replaceCurrentItem(with: nil)
        third.replaceCurrentItem(with: item)
        #expect(third.currentItem === item)
    }

    @Test(
        "The end of each item is posted with the very object, even if it left the queue long before",
        arguments: 0..<10
    )
    func queuedItemsAreHeld(seed: UInt64) {
        let bench = AdapterBench(seed: seed)
        let player = bench.make { AVQueuePlayer() }
        let tokens = NotificationTokens()
        let ids = bench.make {
            (0..<4).map { number in
                let item = Item("\(number)", AVURLAsset(url: bench.url))
                player.insert(item, after: nil)
                return ObjectIdentifier(item)
            }
        }
        tokens.add(.AVPlayerItemDidPlayToEndTime, nil) { note in
            guard let item = note.object as? Item, ids.contains(ObjectIdentifier(item)) else { return }
            bench.add(item.name)
        }
        player.play()
        bench.run(10)
        #expect(bench.lines() == ["0", "1", "2", "3"])
        #expect(player.items().isEmpty)
    }

    @Test("An item that is removed before its turn is released at once, the current one after its last event")
    func removedItems() {
        let bench = AdapterBench()
        let player = bench.make { AVQueuePlayer() }
        var items = bench.make { (0..<3).map { _ in AVPlayerItem(url: bench.url) } }
        for item in items { player.insert(item, after: nil) }
        weak let (first, second, third) = (items[0], items[1], items[2])
        bench.run(0)
        player.remove(items[1])
        player.remove(items[0])
        items = []
        #expect(second == nil && first != nil && player.currentItem === third)
        bench.run(0)
        #expect(first == nil && player.items() == [third])
        player.removeAllItems()
        bench.run(0)
        #expect(third == nil)
    }

    @Test("Releasing a player releases its item, its asset and its observers of time")
    func release() {
        let bench = AdapterBench()
        var player: AVPlayer? = bench.make { AVPlayer(url: bench.url) }
        weak let (item, asset, released) = (player!.currentItem, player!.currentItem!.asset, player)
        _ = player!.addPeriodicTimeObserver(forInterval: CMTime(value: 1, timescale: 10), queue: nil) { _ in
            bench.add("tick")
        }
        player!.play()
        bench.run(0.5)
        #expect(!bench.lines().isEmpty)
        player = nil
        bench.run(1)
        #expect(released == nil && item == nil && asset == nil)
        #expect(bench.lines().isEmpty)
    }

    @Test("1,000 observers that are made and dropped leave nothing, and are not called afterwards")
    func droppedObservers() {
        final class Witness: Sendable {}
        let bench = AdapterBench()
        let player = bench.make { AVPlayer(url: bench.url) }
        weak var last: Witness?
        for _ in 0..<1000 {
            let witness = Witness()
            last = witness
            let observation = player.observe(\.rate, options: [.new]) { _, _ in
                bench.add("late")
                withExtendedLifetime(witness) {}
            }
            let onItem = player.currentItem!.observe(\.status) { _, _ in
                bench.add("late")
                withExtendedLifetime(witness) {}
            }
            withExtendedLifetime((observation, onItem)) {}
        }
        #expect(last == nil)
        player.play()
        bench.run(5)
        #expect(bench.lines().isEmpty)
    }

    @Test("An observation that is invalidated in its handler is not called again; its object is not retained")
    func invalidatedInHandler() {
        let bench = AdapterBench()
        var player: AVPlayer? = bench.make { AVPlayer(url: bench.url) }
        let observation = Locked<NSKeyValueObservation?>(nil)
        let made = player!.observe(\.rate, options: .new) { _, change in
            bench.add("rate \(change.newValue!)")
            observation.withLock { $0 }?.invalidate()
        }
        observation.withLock { $0 = made }
        player!.play()
        bench.run(0.1)
        player!.pause()
        bench.run(0.1)
        #expect(bench.lines() == ["rate 1.0"])
        weak let released = player
        player = nil
        bench.run(0)
        #expect(released == nil)
    }

    @Test("Order and values are those of Player.observe for the same play", arguments: 0..<20)
    func sameOrder(seed: UInt64) {
        let bench = AdapterBench(.silentClip([.stall(atPacket: 25, until: 5)]), seed: seed)
        let other = Locked<[String]>([])
        let player = bench.make { AVPlayer() }
        let theirs = [
            player.player.observe(\.rate, options: [.old, .new]) { _, change in
                other.withLock { $0.append("rate \(change.oldValue!) \(change.newValue!)") }
            },
            player.player.observe(\.timeControlStatus, options: [.old, .new]) { _, change in
                other.withLock { $0.append("\(change.oldValue!) \(change.newValue!)") }
            },
        ]
        let ours = [
            player.observe(\.rate, options: [.old, .new]) {
                bench.add("rate \($1.oldValue!) \($1.newValue!)")
            },
            player.observe(\.timeControlStatus, options: [.old, .new]) {
                bench.add("\($1.oldValue!) \($1.newValue!)")
            },
        ]
        let item = bench.make { AVPlayerItem(url: bench.url) }
        player.replaceCurrentItem(with: item)
        player.play()
        bench.run(3)
        player.pause()
        bench.run(3)
        player.play()
        player.seek(to: .zero)
        bench.run(10)
        let lines = bench.lines()
        #expect(lines.count > 4 && lines == other.withLock { $0 })
        for token in theirs { token.invalidate() }
        for observation in ours { observation.invalidate() }
    }

    @Test(".prior is a call before each call, and a change that a setter made before is not reported")
    func priorAndEarlierChanges() {
        let bench = AdapterBench()
        let player = bench.make { AVPlayer() }
        player.volume = 0.5
        let observation = player.observe(\.volume, options: [.initial, .prior, .old, .new]) { _, change in
            let new = change.newValue.map { "\($0)" } ?? "-"
            bench.add("\(change.isPrior) \(change.oldValue.map { "\($0)" } ?? "-") \(new)")
        }
        bench.run(0)
        player.volume = 0.25
        bench.run(0)
        #expect(bench.lines() == ["false - 0.5", "true 0.5 -", "false 0.5 0.25"])
        observation.invalidate()
    }

    @Test("The time at the end equals the duration, also if it is not a whole number of nanoseconds")
    func timeAtEnd() {
        let media = ScriptedMedia(video: .init(frameCount: 50, frameRate: 30))
        let bench = AdapterBench(media)
        let player = bench.make { AVPlayer(url: bench.url) }
        player.play()
        bench.run(5)
        let item = player.currentItem!
        #expect(player.rate == 0 && item.duration.seconds != 2)
        #expect(CMTimeGetSeconds(player.currentTime()) == CMTimeGetSeconds(item.duration))
        #expect(player.currentTime() == item.duration)
    }

    @Test("A call for which Apple's player raises an exception has no effect")
    func misuse() {
        let bench = AdapterBench()
        let player = bench.make { AVPlayer(url: bench.url) }
        player.preroll(atRate: 1) { bench.add("preroll \($0)") }
        bench.run(0)
        #expect(bench.lines() == ["preroll false"])
        player.setRate(1, time: CMTime(value: 1, timescale: 1), atHostTime: .invalid)
        bench.run(1)
        #expect(player.rate == 0 && player.currentTime() == .zero)
        player.removeTimeObserver("no observer")
        let other = bench.make { AVPlayer() }
        let token = other.addPeriodicTimeObserver(forInterval: .invalid, queue: nil) { _ in }
        player.removeTimeObserver(token)
        other.removeTimeObserver(token)
        _ = player.addBoundaryTimeObserver(forTimes: [], queue: nil) { bench.add("boundary") }
        player.currentItem!.audioTimePitchAlgorithm = AVAudioTimePitchAlgorithm(rawValue: "other")
        #expect(player.currentItem!.audioTimePitchAlgorithm == .timeDomain)
        player.play()
        bench.run(5)
        #expect(bench.lines().isEmpty && player.currentTime().seconds == 2)
    }

    @Test("The handler of a call without effect is called on the callback queue, also after a release")
    func handlersOfMisuse() {
        let bench = AdapterBench()
        var player: AVPlayer? = bench.make { AVPlayer(url: bench.url) }
        player!.preroll(atRate: 1) { bench.add("preroll \($0)") }
        player!.seek(to: .invalid) { bench.add("player \($0)") }
        player!.currentItem!.seek(to: .indefinite) { bench.add("item \($0)") }
        player!.seek(to: .zero, toleranceBefore: .invalid, toleranceAfter: .zero) {
            bench.add("tolerance \($0)")
        }
        #expect(bench.lines().isEmpty)
        player = nil
        bench.run(0)
        #expect(bench.lines() == ["preroll false", "player false", "item false", "tolerance false"])
    }

    @Test("Tracks of an item can be disabled, and equal objects do not count as a change")
    func tracks() {
        let bench = AdapterBench(.clip())
        let player = bench.make { AVPlayer(url: bench.url) }
        let item = player.currentItem!
        let observation = item.observe(\.tracks) { item, _ in
            bench.add(
                item.tracks.map { "\($0.assetTrack!.mediaType.rawValue) \($0.isEnabled)" }.joined(
                    separator: " "
                )
            )
        }
        bench.run(1)
        let before = bench.lines()
        #expect(before == ["vide true soun false"])
        item.tracks[0].isEnabled = false
        #expect(!item.tracks[0].isEnabled)
        bench.run(0)
        #expect(bench.lines() == ["vide false soun false"])
        #expect(item.tracks == item.tracks)
        observation.invalidate()
    }

    @Test("A track that was read before has the present state and frame rate of its track")
    func presentTrack() {
        let bench = AdapterBench()
        let player = bench.make { AVPlayer(url: bench.url) }
        let layer = AVPlayerLayer(player: player)
        layer.frame = CGRect(x: 0, y: 0, width: 16, height: 8)
        let item = player.currentItem!
        bench.run(0)
        let video = item.tracks[0]
        #expect(video.isEnabled && video.currentVideoFrameRate == 0)
        player.play()
        bench.run(0.5)
        #expect(video.currentVideoFrameRate > 0)
        #expect(video.currentVideoFrameRate == item.tracks[0].currentVideoFrameRate)
        item.tracks[0].isEnabled = false
        #expect(!video.isEnabled)
        withExtendedLifetime(layer) {}
    }

    @Test("The date is that of the frame that is shown, also during a seek", .enabled(if: Fixture.areThere))
    func currentDate() throws {
        let folder = try TemporaryFolder()
        try folder.write("clip.ts", Data(contentsOf: Fixture.url("clip-h264-aac.ts")))
        let lines = [
            "#EXTM3U", "#EXT-X-TARGETDURATION:3", "#EXT-X-PROGRAM-DATE-TIME:2026-11-21T12:00:00Z",
            "#EXTINF:3,", "clip.ts", "#EXT-X-ENDLIST", "",
        ]
        try folder.write("dated.m3u8", Data(lines.joined(separator: "\n").utf8))
        let driver = ManualDriver()
        let configuration = Player.Configuration(driver: driver, backend: Player.Configuration().backend)
        let player = AdapterConfiguration.$current.withValue(configuration) {
            AVPlayer(url: folder.file("dated.m3u8"))
        }
        driver.run(seconds: 0)
        let item = player.currentItem!
        let (first, start) = (item.currentTime(), try #require(item.currentDate()))
        let second = CMTime(value: 1, timescale: 1)
        player.seek(to: second, toleranceBefore: .zero, toleranceAfter: .zero)
        #expect(item.currentTime() == first && item.currentDate() == start)
        driver.run(seconds: 0)
        #expect(item.currentTime() == second)
        let end = try #require(item.currentDate())
        #expect(abs(end.timeIntervalSince(start) - (second - first).seconds) < 0.001)
        withExtendedLifetime(folder) {}
    }

    @Test("Boxes of times are equal by content, and another box has no time")
    func boxes() {
        let time = CMTime(value: 3, timescale: 2, flags: [.valid, .hasBeenRounded], epoch: 7)
        let box: Any = NSValue(time: time)
        #expect((box as? NSValue)?.timeValue == time && (box as? NSValue)?.timeValue.epoch == 7)
        #expect(NSValue(time: time) == NSValue(time: time) && NSValue(time: time) != NSValue(time: .zero))
        let range = CMTimeRange(start: .zero, duration: time)
        #expect(NSValue(timeRange: range).timeRangeValue.duration.value == 3)
        #expect(NSValue(timeRange: range).timeValue == .invalid)
        let mapping = CMTimeMapping(source: .zero, target: .zero)
        #expect(NSValue(timeMapping: mapping).timeMappingValue == mapping)
    }

    @Test("Errors have Apple's numbers, and the error of the player as underlying error")
    func errors() {
        for code in MediaError.Code.allCases {
            let error = AVError(PlaybackError(code: code, message: "text"))
            #expect((error as NSError).code == error.code.rawValue && error.code.rawValue <= -11800)
            #expect(
                (error as NSError).localizedDescription == "text"
                    && (error as NSError).domain == AVError.errorDomain
            )
            #expect((error.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == code.number)
        }
        let error: any Error = AVError(PlaybackError(code: .cancelled, message: "text"))
        switch error {
        case AVError.operationCancelled: break
        default: Issue.record("\(error) does not match its code")
        }
        #expect(!(AVError.decodeFailed ~= error) && !(AVError.unknown ~= CancellationError()))
    }

    @Test("The types of media that can be played are known without a file")
    func types() {
        let types = AVURLAsset.audiovisualMIMETypes()
        #expect(types.contains("video/mp4") && types.allSatisfy(AVURLAsset.isPlayableExtendedMIMEType))
        #expect(AVURLAsset.isPlayableExtendedMIMEType("video/mp4; codecs=\"avc1.42E01E, mp4a.40.2\""))
        #expect(!AVURLAsset.isPlayableExtendedMIMEType("video/mp4; codecs=\"nosuch\""))
    }

    @Test(
        "Handlers, observers and notifications are called on the main queue",
        .enabled(if: Fixture.areThere)
    )
    @MainActor func mainQueue() async {
        dispatchPrecondition(condition: .onQueue(.main))
        let player = AVPlayer(url: Fixture.url("clip-h264-aac.mp4"))
        player.isMuted = true
        let log = Locked<[String]>([])
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let tokens = NotificationTokens()
        let observation = player.currentItem!.observe(\.status, options: .new) { item, _ in
            dispatchPrecondition(condition: .onQueue(.main))
            log.withLock { $0.append("status \(item.status.rawValue)") }
        }
        tokens.add(.AVPlayerItemDidPlayToEndTime, player.currentItem) { _ in
            dispatchPrecondition(condition: .onQueue(.main))
            log.withLock { $0.append("end") }
            end.yield()
        }
        _ = await player.seek(
            to: CMTime(value: 27, timescale: 10),
            toleranceBefore: .zero,
            toleranceAfter: .zero
        )
        player.play()
        for await _ in ends { break }
        #expect(log.withLock { $0 } == ["status 1", "end"])
        #expect(player.currentTime() == player.currentItem!.duration)
        observation.invalidate()
    }
}
