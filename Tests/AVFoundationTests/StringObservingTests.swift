import MediaCore
import Playhead
import PlayheadTesting
import Testing

@testable import AVFoundation

@Suite("Observing by strings") @MainActor
struct StringObservingTests {
    /// What code for Apple's player calls `NSObject`.
    private typealias NSObject = KeyValueObserver

    private class Observer: NSObject {
        let bench: AdapterBench
        let name: String
        var onChange: (@MainActor () -> Void)?

        init(_ bench: AdapterBench, _ name: String = "") {
            self.bench = bench
            self.name = name
        }

        override func observeValue(
            forKeyPath keyPath: String?,
            of object: Any?,
            change: [NSKeyValueChangeKey: Any]?,
            context: UnsafeMutableRawPointer?
        ) {
            func text(_ key: NSKeyValueChangeKey) -> String { change?[key].map { "\($0)" } ?? "-" }
            let prior = change?[.notificationIsPriorKey] as? Bool == true ? " prior" : ""
            bench.add("\(name)\(keyPath ?? "nil") \(text(.oldKey)) \(text(.newKey))\(prior)")
            onChange?()
            super.observeValue(forKeyPath: keyPath, of: object, change: change, context: context)
        }
    }

    @Test("The selection of an item is observed by string")
    func mediaSelection() throws {
        let bench = AdapterBench(.clip())
        let player = bench.make { AVPlayer(url: bench.url) }
        let item = player.currentItem!
        bench.run(0)
        let group = try #require(item.asset.mediaSelectionGroup(forMediaCharacteristic: .audible))
        let observer = Observer(bench)
        observer.onChange = { bench.add("none: \(item.selectedMediaOption(in: group) == nil)") }
        item.addObserver(observer, forKeyPath: "currentMediaSelection", context: nil)
        item.select(nil, in: group)
        player.play()
        bench.run(0.5)
        #expect(bench.lines() == ["currentMediaSelection - -", "none: true"])
        item.removeObserver(observer, forKeyPath: "currentMediaSelection")
    }

    @Test("Order and values are those of Player.observe for the same play", arguments: 0..<20)
    func sameOrder(seed: UInt64) {
        let bench = AdapterBench(.silentClip([.stall(atPacket: 25, until: 5)]), seed: seed)
        let other = Locked<[String]>([])
        @Sendable nonisolated func number(_ status: Player.TimeControlStatus) -> Int {
            AVPlayer.TimeControlStatus(status).rawValue
        }
        let player = bench.make { AVPlayer() }
        let theirs = [
            player.player.observe(\.rate, options: [.old, .new]) { _, change in
                other.withLock { $0.append("rate \(change.oldValue!) \(change.newValue!)") }
            },
            player.player.observe(\.timeControlStatus, options: [.old, .new]) { _, change in
                let line = "timeControlStatus \(number(change.oldValue!)) \(number(change.newValue!))"
                other.withLock { $0.append(line) }
            },
        ]
        let observer = Observer(bench)
        player.addObserver(observer, forKeyPath: "rate", options: [.old, .new], context: nil)
        player.addObserver(observer, forKeyPath: "timeControlStatus", options: [.old, .new], context: nil)
        player.replaceCurrentItem(with: bench.make { AVPlayerItem(url: bench.url) })
        player.play()
        bench.run(3)
        player.pause()
        bench.run(3)
        player.rate = 0.5
        player.seek(to: .zero)
        bench.run(20)
        let lines = bench.lines()
        let expected = other.withLock { $0 }
        #expect(lines.count > 4 && lines == expected)
        for token in theirs { token.invalidate() }
        player.removeObserver(observer, forKeyPath: "rate")
        player.removeObserver(observer, forKeyPath: "timeControlStatus")
    }

    @Test("A property has the name of its getter too, and a path leads through the current item")
    func names() {
        let bench = AdapterBench()
        let player = bench.make { AVPlayer() }
        let observer = Observer(bench)
        for path in [
            "muted", "isMuted", "currentItem.status", "currentItem.playbackLikelyToKeepUp",
            "currentItem.isPlaybackLikelyToKeepUp",
        ] {
            player.addObserver(observer, forKeyPath: path, options: [.initial, .new], context: nil)
        }
        #expect(
            bench.lines()
                == [
                    "muted - 0", "isMuted - 0", "currentItem.status - <null>",
                    "currentItem.playbackLikelyToKeepUp - <null>",
                    "currentItem.isPlaybackLikelyToKeepUp - <null>",
                ].map {
                    $0.replacing("<null>", with: "\(NSNull())").replacing(
                        "- 0",
                        with: "- \(NSNumber(value: false))"
                    )
                }
        )
        player.isMuted = true
        bench.run(0)
        let yes = NSNumber(value: true)
        #expect(bench.lines() == ["muted - \(yes)", "isMuted - \(yes)"])
        player.replaceCurrentItem(with: bench.make { AVPlayerItem(url: bench.url) })
        bench.run(1)
        let lines = bench.lines()
        #expect(
            lines.filter { $0.hasPrefix("currentItem.status") } == [
                "currentItem.status - 0", "currentItem.status - 1",
            ]
        )
        #expect(
            lines.last { $0.hasPrefix("currentItem.playback") }
                == "currentItem.playbackLikelyToKeepUp - \(yes)"
        )
        #expect(
            lines.last { $0.hasPrefix("currentItem.is") } == "currentItem.isPlaybackLikelyToKeepUp - \(yes)"
        )
    }

    @Test("Values are in the classes that code casts them to")
    func classes() {
        final class Casts: NSObject {
            var values: [String: Any] = [:]
            override func observeValue(
                forKeyPath keyPath: String?,
                of object: Any?,
                change: [NSKeyValueChangeKey: Any]?,
                context: UnsafeMutableRawPointer?
            ) {
                #expect(change?[.kindKey] as? UInt == NSKeyValueChange.setting.rawValue)
                values[keyPath!] = change?[.newKey]
            }
        }
        let bench = AdapterBench(.clip())
        let player = bench.make { AVPlayer(url: bench.url) }
        let casts = Casts()
        bench.run(1)
        let ofPlayer = [
            "currentItem", "status", "error", "rate", "defaultRate", "timeControlStatus",
            "reasonForWaitingToPlay",
            "actionAtItemEnd", "automaticallyWaitsToMinimizeStalling", "volume", "externalPlaybackActive",
        ]
        for key in ofPlayer {
            player.addObserver(casts, forKeyPath: key, options: [.initial, .new], context: nil)
        }
        let values = casts.values
        #expect(values.count == ofPlayer.count)
        #expect(values["currentItem"] as? AVPlayerItem === player.currentItem)
        #expect((values["status"] as? NSNumber)?.intValue == 1 && values["status"] as? Int == 1)
        #expect(values["rate"] as? Float == 0 && values["volume"] as? Float == 1)
        #expect(AVPlayer.TimeControlStatus(rawValue: values["timeControlStatus"] as? Int ?? -1) == .paused)
        #expect(values["automaticallyWaitsToMinimizeStalling"] as? Bool == true)
        #expect(values["error"] is NSNull && values["reasonForWaitingToPlay"] is NSNull)
        #expect(values["actionAtItemEnd"] as? Int == AVPlayer.ActionAtItemEnd.pause.rawValue)
        let item = player.currentItem!
        for key in ["duration", "presentationSize", "loadedTimeRanges", "tracks", "playbackBufferEmpty"] {
            item.addObserver(casts, forKeyPath: key, options: [.initial, .new], context: nil)
        }
        #expect((casts.values["duration"] as? NSValue)?.timeValue == item.duration)
        #expect((casts.values["presentationSize"] as? NSValue)?.sizeValue == item.presentationSize)
        #expect((casts.values["loadedTimeRanges"] as? [NSValue])?.first?.timeRangeValue.start == .zero)
        #expect((casts.values["tracks"] as? [AVPlayerItemTrack])?.count == 2)
        player.addObserver(casts, forKeyPath: "rate", options: .initial, context: nil)
        #expect(casts.values["rate"] == nil)
    }

    @Test("An observer by string learns what an item can do once it is ready")
    func abilities() {
        let bench = AdapterBench()
        let player = bench.make { AVPlayer(url: bench.url) }
        let observer = Observer(bench)
        player.currentItem!.addObserver(
            observer,
            forKeyPath: "canPlayFastForward",
            options: [.old, .new],
            context: nil
        )
        bench.run(1)
        let (no, yes) = (NSNumber(value: false), NSNumber(value: true))
        #expect(bench.lines() == ["canPlayFastForward \(no) \(yes)"])
    }

    @Test("Every name of a property that can be observed is known; another one is not observed")
    func everyName() {
        let bench = AdapterBench()
        let player = bench.make { AVQueuePlayer() }
        let looper = bench.make { AVPlayerLooper(player: player, templateItem: AVPlayerItem(url: bench.url)) }
        let layer = AVPlayerLayer(player: player)
        let observer = Observer(bench)
        bench.run(1)
        for key in [
            "seekableTimeRanges", "isPlaybackBufferFull", "playbackBufferFull", "isPlaybackBufferEmpty",
            "error", "asset", "canPlayFastForward", "canPlaySlowForward", "canPlayReverse",
            "canPlaySlowReverse",
            "canPlayFastReverse", "canStepForward", "canStepBackward",
        ] {
            player.currentItem?.addObserver(observer, forKeyPath: key, options: .initial, context: nil)
        }
        for key in ["status", "error", "loopCount", "loopingPlayerItems"] {
            looper.addObserver(observer, forKeyPath: key, options: .initial, context: nil)
        }
        for key in ["readyForDisplay", "isReadyForDisplay", "videoRect"] {
            layer.addObserver(observer, forKeyPath: key, options: .initial, context: nil)
        }
        #expect(bench.lines().count == 20)
        for path in ["", ".", "unknown", "rate.x", "currentItem.unknown", "currentItem..status", "status "] {
            player.addObserver(observer, forKeyPath: path, options: .initial, context: nil)
        }
        #expect(bench.lines().isEmpty && player.keyValueRegistrations.count == 0)
    }

    @Test("No call follows a removal, also by the observer itself; contexts tell registrations apart")
    func removal() {
        let bench = AdapterBench()
        let player = bench.make { AVPlayer() }
        let (a, b) = (UnsafeMutableRawPointer(bitPattern: 1), UnsafeMutableRawPointer(bitPattern: 2))
        let (first, second) = (Observer(bench, "1 "), Observer(bench, "2 "))
        player.addObserver(first, forKeyPath: "volume", options: .new, context: a)
        player.addObserver(first, forKeyPath: "volume", options: [.new, .old], context: b)
        player.addObserver(second, forKeyPath: "volume", options: .new, context: nil)
        player.volume = 0.5
        bench.run(0)
        #expect(bench.lines() == ["1 volume - 0.5", "1 volume 1.0 0.5", "2 volume - 0.5"])
        player.removeObserver(first, forKeyPath: "volume", context: a)
        // It is removed already, and logged.
        player.removeObserver(first, forKeyPath: "volume", context: a)
        player.removeObserver(first, forKeyPath: "rate", context: b)
        first.onChange = { [weak first] in
            if let first { player.removeObserver(first, forKeyPath: "volume") }
            player.removeObserver(second, forKeyPath: "volume")
        }
        player.volume = 0.25
        bench.run(0)
        #expect(bench.lines() == ["1 volume 0.5 0.25"])
        player.volume = 1
        bench.run(0)
        #expect(bench.lines().isEmpty && player.keyValueRegistrations.count == 0)
    }

    @Test(".prior is a call before each call, with the old value alone")
    func prior() {
        let bench = AdapterBench()
        let player = bench.make { AVPlayer() }
        let observer = Observer(bench)
        player.addObserver(
            observer,
            forKeyPath: "volume",
            options: [.initial, .prior, .old, .new],
            context: nil
        )
        player.volume = 0.25
        bench.run(0)
        #expect(bench.lines() == ["volume - 1.0", "volume 1.0 - prior", "volume 1.0 0.25"])
        let plain = Observer(bench, "plain ")
        player.addObserver(plain, forKeyPath: "volume", context: nil)
        player.volume = 1
        bench.run(0)
        #expect(bench.lines().last == "plain volume - -")
    }

    @Test("1,000 observers that are made and dropped leave nothing, and are not called afterwards")
    func dropped() {
        let bench = AdapterBench()
        let player = bench.make { AVPlayer(url: bench.url) }
        let registrations = player.keyValueRegistrations
        weak var last: Observer?
        for _ in 0..<1000 {
            let observer = Observer(bench)
            last = observer
            player.addObserver(observer, forKeyPath: "rate", options: .new, context: nil)
            player.currentItem!.addObserver(observer, forKeyPath: "status", options: .new, context: nil)
        }
        #expect(last == nil && registrations.count < 100)
        player.play()
        bench.run(5)
        #expect(bench.lines().isEmpty && registrations.count == 0)
    }

    @Test("1,000 observers that are removed in their deinitializers leave nothing")
    func removedInDeinit() {
        final class Cell: NSObject {
            let player: AVPlayer
            init(_ player: AVPlayer) {
                self.player = player
                super.init()
                player.addObserver(self, forKeyPath: "rate", options: .new, context: nil)
                NotificationCenter.default.addObserver(
                    self,
                    selector: Selector(Cell.ended(_:)),
                    name: .AVPlayerItemDidPlayToEndTime,
                    object: nil
                )
            }
            func ended(_ note: Notification) {}
            deinit {
                player.removeObserver(self, forKeyPath: "rate")
                NotificationCenter.default.removeObserver(self)
            }
        }
        let bench = AdapterBench()
        let player = bench.make { AVPlayer() }
        var cells = (0..<1000).map { _ in Cell(player) }
        withExtendedLifetime(cells) { #expect(player.keyValueRegistrations.count == 1000) }
        cells = []
        #expect(cells.isEmpty && player.keyValueRegistrations.count == 0)
        #expect(SelectorObserver.count(in: .default) == 0)
    }

    @Test("Observers are not retained, and neither are players, items and layers")
    func retention() {
        let bench = AdapterBench()
        var player: AVPlayer? = bench.make { AVPlayer(url: bench.url) }
        var layer: AVPlayerLayer? = AVPlayerLayer(player: player)
        weak let (item, released, releasedLayer) = (player!.currentItem, player, layer)
        let observer = Observer(bench)
        player!.addObserver(observer, forKeyPath: "rate", options: .new, context: nil)
        player!.currentItem!.addObserver(observer, forKeyPath: "status", context: nil)
        layer!.addObserver(observer, forKeyPath: "readyForDisplay", context: nil)
        layer = nil
        player = nil
        bench.run(1)
        #expect(item == nil && released == nil && releasedLayer == nil && bench.lines().isEmpty)
    }

    @Test("An item of a subclass observes itself, and a class that only conforms observes too")
    func subclasses() {
        final class CachedItem: AVPlayerItem {
            nonisolated let log = Locked<[String]>([])
            override func observeValue(
                forKeyPath keyPath: String?,
                of object: Any?,
                change: [NSKeyValueChangeKey: Any]?,
                context: UnsafeMutableRawPointer?
            ) {
                log.withLock { $0.append("\(keyPath!) \((object as? CachedItem)?.status.rawValue ?? -1)") }
                super.observeValue(forKeyPath: keyPath, of: object, change: change, context: context)
            }
        }
        final class Conforming: NSKeyValueObserving {
            var count = 0
            func observeValue(
                forKeyPath keyPath: String?,
                of object: Any?,
                change: [NSKeyValueChangeKey: Any]?,
                context: UnsafeMutableRawPointer?
            ) { count += 1 }
        }
        let bench = AdapterBench()
        let item = bench.make {
            CachedItem(asset: AVURLAsset(url: bench.url), automaticallyLoadedAssetKeys: nil)
        }
        let conforming = Conforming()
        item.addObserver(item, forKeyPath: "status", options: .new, context: nil)
        item.addObserver(conforming, forKeyPath: "status", options: .new, context: nil)
        let player = bench.make { AVPlayer(playerItem: item) }
        bench.run(1)
        #expect(item.log.withLock { $0 } == ["status 1"] && conforming.count == 1)
        withExtendedLifetime(player) {}
    }

    @Test("An observer that is added on another thread is called on the main queue")
    func otherThread() async {
        final class Threads: NSObject {
            let calls: AsyncStream<Void>.Continuation
            init(_ calls: AsyncStream<Void>.Continuation) { self.calls = calls }
            override func observeValue(
                forKeyPath keyPath: String?,
                of object: Any?,
                change: [NSKeyValueChangeKey: Any]?,
                context: UnsafeMutableRawPointer?
            ) {
                dispatchPrecondition(condition: .onQueue(.main))
                calls.yield()
            }
        }
        let bench = AdapterBench()
        let player = bench.make { AVPlayer() }
        let (calls, continuation) = AsyncStream.makeStream(of: Void.self)
        let threads = Threads(continuation)
        // The closure only passes the reference on; the object's method belongs to the main actor.
        nonisolated(unsafe) let observer = threads
        await withCheckedContinuation { done in
            DispatchQueue.global().async {
                player.addObserver(observer, forKeyPath: "rate", options: .initial, context: nil)
                done.resume()
            }
        }
        for await _ in calls { break }
        player.removeObserver(threads, forKeyPath: "rate")
    }
}
