import Foundation
import PlaybackEngine
import Playhead
import PlayheadTesting
import TestSupport
import Testing

// Rule: play-to-end
@Suite("Contract: playing to the end")
struct PlayToEndTests {
    /// A task that plays to the end, and what came of it.
    private final class Wait: Sendable {
        let outcome = Locked<Result<Void, PlaybackError>?>(nil)
        let task: Task<Void, Never>

        init(_ player: Player) {
            task = Task { [outcome] in
                do throws(PlaybackError) {
                    try await player.playToEnd()
                    outcome.withLock { $0 = .success(()) }
                } catch {
                    outcome.withLock { $0 = .failure(error) }
                }
            }
        }

        var isOver: Bool { outcome.withLock { $0 != nil } }
        /// "end", or the code of the error.
        var line: String {
            switch outcome.withLock({ $0 }) {
            case .success?: "end"
            case .failure(let error)?: error.code.rawValue
            case nil: "nothing"
            }
        }
    }

    /// Runs the driver at its present time, and then moves its clock, until a condition holds.
    private func run<Tested>(
        _ bench: PlayerTestBench<Tested>,
        seconds: Double,
        until condition: () -> Bool
    ) async throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while !condition() {
            try #require(ContinuousClock.now < deadline)
            bench.driver.run(seconds: seconds)
            await Task.yield()
        }
    }

    /// Starts to wait. Returns when the player plays, or the wait is over.
    private func begin<Tested>(_ bench: PlayerTestBench<Tested>) async throws -> Wait {
        let wait = Wait(bench.player)
        let player = bench.player
        try await run(bench, seconds: 0) { wait.isOver || player.rate != 0 }
        return wait
    }

    private func result<Tested>(_ wait: Wait, _ bench: PlayerTestBench<Tested>) async throws -> String {
        try await run(bench, seconds: 0.1) { wait.isOver }
        return wait.line
    }

    private func playToEnd<Tested>(_ bench: PlayerTestBench<Tested>) async throws -> String {
        try await result(try await begin(bench), bench)
    }

    // MARK: The end

    @Test("It returns when every sink has received everything, at the item's end, and the player is paused")
    func wholeItem() async throws {
        let bench = PlayerTestBench(.clip())
        let item = bench.makeItem()
        bench.player.replaceCurrentItem(with: item)
        #expect(try await playToEnd(bench) == "end")
        #expect(bench.videoSink.numbers == Array(0..<50))
        #expect(bench.audioSink.frameCount == 96_000)
        #expect(item.currentTime() == item.duration)
        #expect(bench.player.rate == 0)
    }

    @Test("Observers have been told of the end before it returns, and once")
    func order() async throws {
        let bench = PlayerTestBench(.silentClip())
        bench.load()
        let ends = Locked(0)
        let token = bench.player.onEvent { timed in
            if case .didPlayToEndTime = timed.event { ends.withLock { $0 += 1 } }
        }
        #expect(try await playToEnd(bench) == "end")
        #expect(ends.withLock { $0 } == 1)
        // An item that has ended already is not played, and its end is not reported again.
        #expect(try await playToEnd(bench) == "end")
        bench.driver.run(seconds: 5)
        #expect(ends.withLock { $0 } == 1)
        token.invalidate()
    }

    @Test("It keeps the rate that was set, uses the default rate otherwise, and continues after a pause")
    func rates() async throws {
        let bench = PlayerTestBench(.silentClip())
        bench.load()
        bench.player.defaultRate = 2
        let wait = try await begin(bench)
        #expect(bench.player.rate == 2)
        bench.player.rate = 0.5
        bench.driver.run(seconds: 1)
        bench.player.pause()
        bench.driver.run(seconds: 10)
        #expect(!wait.isOver)
        bench.player.play()
        #expect(try await result(wait, bench) == "end")
        #expect(bench.videoSink.numbers == Array(0..<50))
        bench.seek("back", to: .ms(1000))
        bench.player.rate = 0.25
        let second = Wait(bench.player)
        try await run(bench, seconds: 0) { bench.player.timeControlStatus == .playing }
        #expect(bench.player.rate == 0.25)
        #expect(try await result(second, bench) == "end")
    }

    @Test("Backward the item ends at its start, and an end in the other direction does not count")
    func backward() async throws {
        let bench = PlayerTestBench(.silentClip())
        let item = bench.load()
        #expect(try await playToEnd(bench) == "end")
        bench.player.defaultRate = -1
        #expect(try await playToEnd(bench) == "end")
        #expect(item.currentTime() == .zero)
        #expect(bench.videoSink.numbers.suffix(50) == (0..<50).reversed())
    }

    @Test("The item ends at its forward end time")
    func endTime() async throws {
        let bench = PlayerTestBench(.silentClip())
        let item = bench.makeItem()
        item.forwardPlaybackEndTime = .ms(1000)
        bench.load(item)
        #expect(try await playToEnd(bench) == "end")
        #expect(item.currentTime() == .ms(1000))
        #expect(bench.videoSink.numbers == Array(0..<25))
    }

    @Test("Several callers wait for the same end")
    func several() async throws {
        let bench = PlayerTestBench(.silentClip())
        bench.load()
        let waits = [try await begin(bench), Wait(bench.player), Wait(bench.player)]
        for wait in waits { #expect(try await result(wait, bench) == "end") }
        #expect(bench.videoSink.numbers == Array(0..<50))
    }

    @Test("A loop ends with each pass, and continues")
    func loop() async throws {
        let bench = PlayerTestBench(.silentClip())
        bench.load()
        bench.player.repeatMode = .loop
        #expect(try await playToEnd(bench) == "end")
        #expect(bench.player.rate == 1)
        #expect(bench.videoSink.frames.contains { $0.pass == 0 && $0.number == 49 })
        #expect(try await playToEnd(bench) == "end")
        #expect(bench.videoSink.frames.contains { $0.pass == 1 && $0.number == 49 })
        // A loop that was requested at the end of an item starts it again.
        bench.player.repeatMode = .once
        #expect(try await playToEnd(bench) == "end")
        let count = bench.videoSink.frames.count
        bench.player.repeatMode = .loop
        #expect(try await playToEnd(bench) == "end")
        #expect(bench.videoSink.frames.count >= count + 50)
    }

    @Test("In a queue it returns at the end of the current item, and calls in a loop play the whole queue")
    func queue() async throws {
        let bench = PlayerTestBench(queue: 3, of: .silentClip())
        bench.driver.settle()
        // Otherwise the next item could end before the next call, which is made by a task.
        let token = bench.player.onEvent { [weak player = bench.player] timed in
            if case .didPlayToEndTime = timed.event { player?.pause() }
        }
        var ended = 0
        while let item = bench.player.currentItem {
            #expect(item === bench.items[ended])
            #expect(try await playToEnd(bench) == "end")
            ended += 1
        }
        #expect(ended == 3)
        #expect(bench.videoSink.numbers.count == 150)
        token.invalidate()
        #expect(try await playToEnd(bench) == "invalidArgument")
    }

    @Test("The end of a queue between two calls is returned once, unless another item has been set since")
    func queueEnd() async throws {
        let bench = PlayerTestBench(queue: 2, of: .silentClip())
        #expect(try await playToEnd(bench) == "end")
        bench.driver.run(seconds: 5)
        #expect(bench.player.currentItem == nil)
        #expect(try await playToEnd(bench) == "end")
        #expect(try await playToEnd(bench) == "invalidArgument")
        let last = bench.makeItem()
        bench.player.replaceCurrentItem(with: last)
        bench.player.play()
        bench.driver.run(seconds: 5)
        #expect(bench.player.currentItem == nil)
        bench.player.replaceCurrentItem(with: bench.makeItem())
        bench.player.replaceCurrentItem(with: nil)
        #expect(try await playToEnd(bench) == "invalidArgument")
    }

    // MARK: Failures

    @Test("It throws what failed: at the opening, in the middle, before the call and after it")
    func failures() async throws {
        for (media, frames) in [
            (ScriptedMedia.silentClip([.openFails(.notFound)]), 0),
            (.silentClip([.lost(fromPacket: 20)]), 20),
        ] {
            for waitsFirst in [false, true] {
                let bench = PlayerTestBench(media)
                let item = bench.makeItem()
                bench.player.replaceCurrentItem(with: item)
                if waitsFirst {
                    bench.player.play()
                    bench.driver.run(seconds: 5)
                }
                let code = frames == 0 ? "notFound" : "io"
                #expect(try await playToEnd(bench) == code)
                #expect(bench.videoSink.numbers == Array(0..<frames))
                #expect(bench.player.rate == 0)
                // The failure is reported to each caller.
                #expect(try await playToEnd(bench) == code)
            }
        }
    }

    @Test("Without an item, and after a shutdown, it throws at once")
    func nothingToPlay() async throws {
        let bench = PlayerTestBench(.silentClip())
        #expect(try await playToEnd(bench) == "invalidArgument")
        bench.load()
        let wait = try await begin(bench)
        bench.driver.run(seconds: 0.5)
        bench.player.shutdown {}
        #expect(try await result(wait, bench) == "cancelled")
        #expect(try await playToEnd(bench) == "cancelled")
    }

    @Test("The failure of a sink pauses and is thrown, also one before the call; another call continues")
    func sinkFailure() async throws {
        for (frame, isBefore) in [(20, false), (1, true)] {
            let bench = PlayerTestBench(.silentClip())
            let other = CapturingVideoSink(clock: bench.driver.clock)
            bench.layer.add(other)
            bench.videoSink.fail(atFrame: frame)
            if isBefore { bench.load() } else { bench.player.replaceCurrentItem(with: bench.makeItem()) }
            #expect(try await playToEnd(bench) == "sinkFailed")
            bench.driver.run(seconds: 5)
            #expect(bench.player.rate == 0)
            #expect(other.numbers.count >= frame && other.numbers.count < frame + 5)
            #expect(try await playToEnd(bench) == "end")
            #expect(other.numbers == Array(0..<50))
        }
    }

    // MARK: What happens meanwhile

    @Test("An item that is replaced or removed meanwhile does not end, and the next call plays the new one")
    func replaced() async throws {
        for isRemoved in [false, true] {
            let bench = PlayerTestBench(.silentClip())
            bench.load()
            let wait = try await begin(bench)
            bench.driver.run(seconds: 0.5)
            bench.player.replaceCurrentItem(with: isRemoved ? nil : bench.makeItem())
            #expect(try await result(wait, bench) == "cancelled")
            if isRemoved { bench.player.replaceCurrentItem(with: bench.makeItem()) }
            #expect(try await playToEnd(bench) == "end")
            #expect(bench.videoSink.numbers.suffix(50) == Array(0..<50))
        }
    }

    @Test("A cancelled task pauses the player where it is, and a later call continues")
    func cancelled() async throws {
        let bench = PlayerTestBench(.silentClip())
        let item = bench.load()
        let wait = try await begin(bench)
        bench.driver.run(seconds: 0.5)
        wait.task.cancel()
        // The task may notice its cancellation later, and no time passes until then.
        try await run(bench, seconds: 0) { wait.isOver }
        #expect(wait.line == "cancelled")
        bench.driver.run(seconds: 5)
        #expect(bench.player.rate == 0)
        let time = item.currentTime()
        #expect(time >= .ms(500) && time < .ms(2000))
        #expect(try await playToEnd(bench) == "end")
        #expect(bench.videoSink.numbers == Array(0..<50))
        // A task that is cancelled before the call plays nothing.
        bench.seek("back", to: .zero)
        bench.driver.run(seconds: 0)
        let player = bench.player
        let early = Task { () -> String in
            while !Task.isCancelled { await Task.yield() }
            do throws(PlaybackError) { try await player.playToEnd() } catch { return error.code.rawValue }
            return "end"
        }
        early.cancel()
        #expect(await early.value == "cancelled")
        bench.driver.run(seconds: 5)
        #expect(item.currentTime() == .zero)
    }

    @Test("A stall does not end it")
    func stalled() async throws {
        let bench = PlayerTestBench(.haltingClip)
        bench.load()
        let stalls = Locked(0)
        let token = bench.player.onEvent { timed in
            if case .playbackStalled = timed.event { stalls.withLock { $0 += 1 } }
        }
        #expect(try await playToEnd(bench) == "end")
        #expect(stalls.withLock { $0 } == 1)
        #expect(bench.videoSink.numbers == Array(0..<50))
        token.invalidate()
    }

    /// What a caller may do immediately before it waits.
    enum Step: CaseIterable, Sendable {
        case seekToStart, seekToEnd, seekIntoMiddle, replace, removeAndReturn, play, pause, loopAndBack,
            shownOnce
    }

    @Test(
        "Whatever happened just before, it waits for the end of what is current then",
        arguments: Step.allCases
    )
    func pairs(_ first: Step) async throws {
        for second in Step.allCases {
            for startsAtEnd in [false, true] {
                let bench = PlayerTestBench(.silentClip())
                bench.load()
                if startsAtEnd {
                    bench.player.play()
                    bench.driver.run(seconds: 3)
                }
                for step in [first, second] { perform(step, bench) }
                let item = try #require(bench.player.currentItem)
                let wait = Wait(bench.player)
                #expect(try await result(wait, bench) == "end", "\(first) \(second) \(startsAtEnd)")
                #expect(item.currentTime() == .ms(2000), "\(first) \(second) \(startsAtEnd)")
                #expect(bench.videoSink.numbers.last == 49, "\(first) \(second) \(startsAtEnd)")
                bench.driver.run(seconds: 3)
                #expect(bench.player.rate == 0, "\(first) \(second) \(startsAtEnd)")
            }
        }
    }

    private func perform(_ step: Step, _ bench: PlayerTestBench<Player>) {
        let player = bench.player
        func seek(_ milliseconds: Int64) {
            player.seek(to: .ms(milliseconds), toleranceBefore: .zero, toleranceAfter: .zero) { _ in }
        }
        switch step {
        case .seekToStart: seek(0)
        case .seekToEnd: seek(2000)
        case .seekIntoMiddle: seek(1000)
        case .replace: player.replaceCurrentItem(with: bench.makeItem())
        case .removeAndReturn:
            let item = player.currentItem
            player.replaceCurrentItem(with: nil)
            player.replaceCurrentItem(with: item)
        case .play: player.play()
        case .pause: player.pause()
        case .loopAndBack:
            player.repeatMode = .loop
            player.repeatMode = .once
        case .shownOnce: bench.driver.run(seconds: 0.02)
        }
    }
}

@Suite("Contract: playing offline in a line")
struct OfflinePlayerTests {
    private func driver() -> VirtualDriver { VirtualDriver() }

    @Test("A layer that the player owns shows every frame, and is finished with the player")
    func ownedLayer() async throws {
        let driver = VirtualDriver()
        let sink = CapturingVideoSink(clock: driver.clock)
        weak var released: PlayerLayer?
        do {
            let backend = ScriptedBackend(.silentClip(), driver: driver)
            var configuration = Player.Configuration.offline()
            configuration.clock = .driver(driver)
            configuration.backend = backend
            let player = Player(playerItem: backend.makeItem(), configuration: configuration)
            released = player.add(sink)
            try await player.playToEnd()
            #expect(sink.numbers == Array(0..<50))
            #expect(released?.player === player)
        }
        try await within("the end of the sink") {
            while sink.calls.last != .finish { await Task.yield() }
        }
        #expect(sink.calls.filter { $0 == .finish }.count == 1)
        try await within("the release of the layer") { [weak released] in
            while released != nil { await Task.yield() }
        }
    }

    @Test(
        "An owned layer that gets another player, or none, is the caller's; one that outlives its player is empty"
    )
    func disownedLayer() {
        let bench = PlayerTestBench(.silentClip())
        bench.load()
        weak var released: PlayerLayer?
        do {
            let layer = bench.player.add(CapturingVideoSink(clock: bench.driver.clock))
            released = layer
            layer.player = nil
        }
        bench.driver.settle()
        #expect(released == nil)
        let orphan: PlayerLayer
        let sink = CapturingVideoSink(clock: bench.driver.clock)
        do {
            let other = PlayerTestBench(.silentClip())
            orphan = other.player.add(sink)
            other.load()
        }
        #expect(orphan.player == nil && !orphan.isReadyForDisplay)
        orphan.player = bench.player
        bench.driver.run(seconds: 0)
        #expect(sink.calls.filter { $0 == .finish }.count == 1)
        #expect(orphan.player === bench.player)
    }

    @Test("An owned layer has the size and the gravity that are set")
    func ownedLayerSize() async throws {
        let sizes = Locked<Set<PixelSize>>([])
        let player = Player(url: Fixture.url("clip-h264-aac.mp4"), configuration: .offline())
        let sink = CallbackVideoSink(pixelFormats: [.rgb24]) { frame in
            sizes.withLock { _ = $0.insert(frame.size) }
        }
        player.add(sink, size: PixelSize(width: 32, height: 32)).videoGravity = .resizeAspectFill
        try await player.playToEnd()
        #expect(sizes.withLock { $0 } == [PixelSize(width: 32, height: 32)])
    }

    @Test(
        "A file is complete when the call returns, and once more after more was written",
        .enabled(if: Fixture.areThere)
    )
    func files() async throws {
        let folder = try TemporaryFolder()
        let url = Fixture.url("clip-h264-aac.mp4")
        let wav = try WAVSink(ByteOutput(replacing: folder.path("a.wav")))
        let raw = RawVideoSink(try ByteOutput(replacing: folder.path("a.raw")))
        let player = Player(url: url, configuration: .offline(audio: .sink(wav)))
        player.add(raw, size: PixelSize(width: 16, height: 16))
        try await player.playToEnd()
        let (sound, picture) = (
            try Data(contentsOf: folder.file("a.wav")), try Data(contentsOf: folder.file("a.raw"))
        )
        // The header declares the samples that follow it.
        let declared = sound[40..<44].reversed().reduce(0) { $0 << 8 | Int($1) }
        #expect(declared == sound.count - 44 && declared > 0)
        #expect(picture.count % (16 * 16 * 3 / 2) == 0 && !picture.isEmpty)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["a.raw", "a.wav"]
        )
        await player.seek(to: .zero, toleranceBefore: .zero, toleranceAfter: .zero)
        try await player.playToEnd()
        #expect(try Data(contentsOf: folder.file("a.wav")).count == 2 * (sound.count - 44) + 44)
        await player.shutdown()
        #expect(wav.error == nil && raw.error == nil)
        try await Player(url: url, configuration: .offline(audio: .sink(WAVSink(path: folder.path("b.wav")))))
            .playToEnd()
        #expect(try Data(contentsOf: folder.file("b.wav")) == sound)
    }

    @Test("A file that cannot be completed is an error")
    func fileFailure() async throws {
        let url = Fixture.url("clip-h264-aac.mp4")
        let player = Player(url: url, configuration: .offline())
        player.add(RawVideoSink(try ByteOutput(path: "/dev/full")), size: PixelSize(width: 640, height: 480))
        let error = await #expect(throws: PlaybackError.self) { try await player.playToEnd() }
        #expect(error?.code == .sinkFailed)
        // The failure has been reported, and another call continues without that sink.
        try await player.playToEnd()
        #expect(player.currentTime() == player.currentItem?.duration)
    }

    @Test("Times arrive each interval, all of them, and end with the player and with the task")
    func times() async throws {
        let driver = VirtualDriver()
        let backend = ScriptedBackend(.silentClip(), driver: driver)
        var configuration = Player.Configuration.offline()
        configuration.clock = .driver(driver)
        configuration.backend = backend
        let player = Player(playerItem: backend.makeItem(), configuration: configuration)
        let times = player.times(every: .milliseconds(500))
        let unread = player.times(every: .seconds(1))
        try await player.playToEnd()
        await player.shutdown()
        var seen: [Int64] = []
        for await time in times { seen.append((time.nanoseconds ?? -1) / 1_000_000) }
        #expect(Set(seen).isSuperset(of: [0, 500, 1000, 1500, 2000]))
        #expect(seen == seen.sorted())
        // A stream of a player that is gone has ended.
        for await _ in player.times(every: .seconds(1)) { Issue.record("a time after the end") }
        _ = unread
        let other = Player(configuration: .offline())
        let task = Task { for await _ in other.times(every: .seconds(1)) {} }
        task.cancel()
        await task.value
        withExtendedLifetime(other) {}
    }

    @Test("A queue player has the same initializer")
    func queue() async throws {
        let url = Fixture.url("clip-h264-aac.mp4")
        let player = QueuePlayer(url: url, configuration: .offline())
        player.insert(PlayerItem(url: url), after: nil)
        #expect(player.items().count == 2)
        while player.currentItem != nil { try await player.playToEnd() }
        #expect(player.items().isEmpty)
    }
}
