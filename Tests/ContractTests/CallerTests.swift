import Dispatch
import Foundation
import Playhead
import PlayheadTesting
import TestSupport
import Testing

@Suite("Contract: threads of callers, and the queue of callbacks")
struct CallerTests {
    /// Calls everything that a program uses of a player and its item.
    private static func call(_ player: Player, _ item: PlayerItem, _ layer: PlayerLayer) {
        player.play()
        player.rate = 2
        player.playImmediately(atRate: 1)
        player.seek(to: .ms(500), completionHandler: nil)
        item.seek(to: .ms(700), toleranceBefore: .zero, toleranceAfter: .zero)
        item.step(byCount: 1)
        item.cancelPendingSeeks()
        player.preroll(atRate: 1) { _ in }
        player.cancelPendingPrerolls()
        player.setRate(1, time: .zero, atHostTime: .ms(99_000))
        (player.volume, player.isMuted, player.repeatMode) = (0.5, true, .loop)
        (player.actionAtItemEnd, player.defaultRate) = (.none, 1.5)
        item.forwardPlaybackEndTime = .ms(900)
        _ = (player.currentTime(), player.status, player.timeControlStatus, player.counters, player.hostTime)
        _ = (item.status, item.duration, item.tracks, item.loadedTimeRanges, item.currentTime())
        _ = (item.accessLog(), item.errorLog(), item.timebase.time, item.asset.media)
        _ = (layer.videoRect, layer.isReadyForDisplay)
        let output = VideoOutput()
        item.add(output)
        _ = output.copyFrame(forItemTime: .zero)
        layer.player = nil
        layer.player = player
        player.pause()
        player.replaceCurrentItem(with: nil)
        player.replaceCurrentItem(with: item)
    }

    @Test("No call waits for the engine: all return while the engine is not running")
    func nothingRuns() {
        let bench = PlayerTestBench(.silentClip())
        // The driver, which runs everything else, is stopped, so calls on this thread must return without it.
        let (item, early) = (bench.load(), bench.makeItem())
        let count = bench.lines.count
        Self.call(bench.player, item, bench.layer)
        Self.call(bench.player, early, bench.layer)
        #expect(bench.lines.count == count, "a call ran work of the engine")
        #expect(early.status == .unknown)
        bench.driver.settle()
        #expect(early.status == .readyToPlay)
    }

    @Test("A seek of an item that waits in a queue completes in a callback, not inside the call")
    func queuedSeek() {
        let bench = PlayerTestBench(queue: 2)
        bench.driver.run(seconds: 0)
        let answers = Locked([Bool]())
        for time in [MediaTime.ms(500), .invalid] {
            bench.items[1].seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero) { finished in
                answers.withLock { $0.append(finished) }
            }
        }
        #expect(answers.withLock { $0 } == [])
        #expect(bench.items[1].currentTime() == .ms(500))
        bench.driver.run(seconds: 0)
        #expect(answers.withLock { $0 } == [true, false])
        // An item without a player has no callback queue.
        bench.makeItem().seek(to: .ms(500), toleranceBefore: .zero, toleranceAfter: .zero) { finished in
            answers.withLock { $0.append(finished) }
        }
        #expect(answers.withLock { $0 } == [true, false, true])
    }

    @Test("No call waits for data: all return while a read hangs", .enabled(if: Fixture.areThere))
    func readHangs() async throws {
        for held in [0, 20_000] as [Int64] {
            let source = try ScriptedByteSource(contentsOfFile: Fixture.path("clip-h264-aac.mp4"))
            source.hold(from: held)
            var configuration = Player.Configuration()
            configuration.audio = .none
            let player = Player(configuration: configuration)
            let layer = PlayerLayer(player: player)
            let options = AssetOptions(byteSource: source)
            let item = PlayerItem(asset: Asset(url: Fixture.url("clip-h264-aac.mp4"), options: options))
            player.replaceCurrentItem(with: item)
            try await within("the read") { await source.until { $0.waits > 0 } }
            try await within("the calls") { Self.call(player, item, layer) }
            source.release()
            try await within("the end") { await player.shutdown() }
        }
    }

    @Test("Values set from many threads at once are reported on one queue, the player's own or a chosen one")
    func oneQueue() async throws {
        let key = DispatchSpecificKey<Bool>()
        let chosen = DispatchQueue(label: "chosen")
        for queue in [nil, chosen] {
            var configuration = Player.Configuration()
            configuration.audio = .none
            configuration.callbackQueue = queue
            let player = Player(configuration: configuration)
            #expect(queue == nil || player.callbackQueue === chosen)
            player.callbackQueue.setSpecific(key: key, value: true)
            defer { player.callbackQueue.setSpecific(key: key, value: nil) }
            let reported = Locked<(right: Int, wrong: Int)>((0, 0))
            let count: @Sendable () -> Void = {
                let isRight = DispatchQueue.getSpecific(key: key) == true
                reported.withLock { if isRight { $0.right += 1 } else { $0.wrong += 1 } }
            }
            let tokens = [
                player.onEvent { _ in count() }, player.observe(\.volume) { _, _ in count() },
                player.observe(\.rate) { _, _ in count() },
            ]
            let times = player.addPeriodicTimeObserver(forInterval: .ms(100)) { _ in count() }
            let notice = NotificationCenter.default.addObserver(
                forName: Player.rateDidChange,
                object: player,
                queue: nil
            ) { _ in count() }
            defer { NotificationCenter.default.removeObserver(notice) }
            let answers = Locked(0)
            await withTaskGroup(of: Void.self) { group in
                for task in 0..<4 {
                    group.addTask {
                        for step in 0..<25 {
                            player.volume = Float(task * 25 + step + 1) / 200
                            player.rate = Float(step % 3)
                            player.seek(to: .ms(Int64(step))) { _ in
                                count()
                                answers.withLock { $0 += 1 }
                            }
                        }
                    }
                }
            }
            let events = player.events
            player.isMuted = true
            // All changes made before this point are reported before it.
            try await within("the last change") {
                for await event in events { if case .mutedChanged(true) = event { return } }
            }
            try await within("the end") { await player.shutdown() }
            player.callbackQueue.sync {}
            #expect(answers.withLock { $0 } == 100)
            #expect(reported.withLock { $0.wrong } == 0)
            #expect(reported.withLock { $0.right } > 100)
            for token in tokens { token.invalidate() }
            times.invalidate()
        }
    }
}

@Suite("Contract: data from the caller", .enabled(if: Fixture.areThere, "make fixtures"))
struct CallersBytesTests {
    private func bytes(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: Fixture.url(name))) }

    private func asset(_ source: ScriptedByteSource, _ name: String) -> Asset {
        Asset(url: URL(fileURLWithPath: "/nowhere/" + name), options: AssetOptions(byteSource: source))
    }

    @Test("The caller's data is played, and the URL is not opened")
    func played() throws {
        let source = ScriptedByteSource(try bytes("clip-h264-aac.mp4"))
        let bench = PlayerTestBench.forFiles()
        let item = bench.load(PlayerItem(asset: asset(source, "clip.mp4")))
        #expect(item.status == .readyToPlay)
        #expect(item.duration == .ms(3000))
        bench.player.play()
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.frames.count == 90)
        #expect(bench.takeLines(of: "end") == ["end"])
        #expect(source.counts.bytes > 0)
    }

    @Test("An error thrown by the caller's reader is reported as the underlying error")
    func ownError() async throws {
        let source = ScriptedByteSource(try bytes("clip-h264-aac.mp4"))
        source.fail(0..<Int64.max, with: MediaError(.io, "the disk is on fire"))
        let error = await #expect(throws: PlaybackError.self) { try await asset(source, "clip.mp4").load() }
        #expect(error?.code == .io)
        #expect(error?.message.contains("the disk is on fire") == true)
    }

    /// Returns an ID3v2.3 frame.
    private func frame(_ name: String, _ content: [UInt8]) -> [UInt8] {
        let size = UInt32(content.count)
        return Array(name.utf8) + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: size >> $0) } + [0, 0]
            + content
    }

    @Test(
        "Metadata, and chapters in item time and in order, are reported, and cover art is not a video track"
    )
    func metadata() async throws {
        func chapter(_ name: String, _ start: UInt32, _ end: UInt32) -> [UInt8] {
            let times = [start, end, .max, .max].flatMap { time in
                [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: time >> $0) }
            }
            return frame("CHAP", Array(name.utf8) + [0] + times + frame("TIT2", [0] + Array(name.utf8)))
        }
        // The smallest PNG consists of its signature, a header of 1x1 pixels, its data and its end.
        let image = try #require(
            Data(
                base64Encoded:
                    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
            )
        )
        let body =
            frame("TIT2", [0] + Array("A title".utf8)) + chapter("Two", 700, 2000) + chapter("One", 0, 700)
            + frame("APIC", Array("\0image/png\0\u{3}\0".utf8) + image)
        let size = (0..<4).reversed().map { UInt8(body.count >> ($0 * 7) & 0x7F) }
        let tag = Array("ID3".utf8) + [3, 0, 0] + size + body
        let asset = asset(ScriptedByteSource(tag + (try bytes("tone-no-header.mp3"))), "tone.mp3")
        try await asset.load()
        #expect(asset.metadata.contains { $0.key == "title" && $0.value == "A title" })
        #expect(asset.chapters.map(\.title) == ["One", "Two"])
        #expect(
            asset.chapters.map(\.timeRange) == [
                MediaTimeRange(start: .zero, end: .ms(700)), MediaTimeRange(start: .ms(700), end: .ms(2000)),
            ]
        )
        let art = try #require(asset.tracks(withMediaType: .video).first)
        #expect(art.isAttachedPicture)
        let bench = PlayerTestBench.forFiles()
        let item = bench.load(PlayerItem(asset: asset))
        #expect(item.status == .readyToPlay)
        #expect(!bench.layer.isReadyForDisplay)
        bench.player.play()
        bench.driver.run(atMost: 60)
        #expect(bench.takeLines(of: "end") == ["end"])
    }
}
