import Foundation
import Playhead
import PlayheadTesting
import Testing

@Suite("Test equipment: settling driver and scripts by URL")
struct SettlingDriverTests {
    private let one = URL(fileURLWithPath: "/media/one.mp4")
    private let two = URL(string: "https://media.example/two.m3u8?key=2")!

    @Test(
        "Each call has taken effect when it returns, and no time has passed",
        arguments: [nil, 1, 2] as [UInt64?]
    )
    func calls(seed: UInt64?) {
        let bench = PlayerTestBench(.clip(), seed: seed, settlesByItself: true)
        let item = bench.makeItem()
        bench.player.replaceCurrentItem(with: item)
        #expect(item.status == .readyToPlay && item.duration == .ms(2000))
        #expect(bench.videoSink.numbers == [0] && bench.layer.isReadyForDisplay)
        bench.player.play()
        #expect(bench.player.timeControlStatus == .playing)
        #expect(bench.driver.now == .zero)
        bench.driver.run(seconds: 1)
        #expect(bench.videoSink.numbers == Array(0...25))
        let answers = Locked([Bool]())
        bench.player.pause()
        bench.player.seek(to: .ms(400), toleranceBefore: .zero, toleranceAfter: .zero) { finished in
            answers.withLock { $0.append(finished) }
        }
        #expect(answers.withLock { $0 } == [true])
        #expect(bench.videoSink.numbers.last == 10)
        item.step(byCount: 2)
        #expect(bench.videoSink.numbers.last == 12)
        bench.player.play()
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers.last == 49)
        #expect(bench.player.rate == 0)
    }

    @Test("A task that waits for a seek is answered without running the driver")
    func awaited() async {
        let bench = PlayerTestBench(.silentClip(), settlesByItself: true)
        bench.load()
        #expect(await bench.player.seek(to: .ms(1000), toleranceBefore: .zero, toleranceAfter: .zero))
        #expect(bench.videoSink.numbers == [0, 25])
    }

    @Test("Calls inside a handler follow it one by one, and a released player is closed at once")
    func handlers() {
        let driver = ManualDriver(settlesByItself: true)
        let backend = ScriptedBackend(.silentClip(), driver: driver)
        var player: Player? = Player(configuration: Player.Configuration(driver: driver, backend: backend))
        weak let weakPlayer = player
        let sink = CapturingVideoSink(clock: driver.clock)
        let layer = PlayerLayer(player: player)
        layer.add(sink)
        let reported = Locked([String]())
        var token: ObservationToken? = player?.onEvent { [weak player] timed in
            guard case .itemStatusChanged(_, .readyToPlay) = timed.event else { return }
            player?.play()
            reported.withLock { $0.append("\(player?.rate ?? -1)") }
        }
        player?.replaceCurrentItem(with: backend.makeItem())
        #expect(reported.withLock { $0 } == ["1.0"])
        #expect(player?.timeControlStatus == .playing)
        token?.invalidate()
        token = nil
        layer.player = nil
        player = nil
        #expect(weakPlayer == nil)
        #expect(backend.counts.cancelled >= 1)
        #expect(!driver.step())
    }

    @Test("Each URL opens its script, whoever makes the item, and an unknown URL is not found")
    func scripts() {
        let driver = ManualDriver(settlesByItself: true)
        let backend = ScriptedBackend(
            scripts: [one: .silentClip(), two: ScriptedMedia(audio: .init(sampleCount: 24_000))],
            driver: driver
        )
        let player = Player(configuration: Player.Configuration(driver: driver, backend: backend))
        let first = PlayerItem(url: one)
        player.replaceCurrentItem(with: first)
        #expect(first.duration == .ms(2000))
        let second = PlayerItem(asset: backend.makeAsset(at: two))
        player.replaceCurrentItem(with: second)
        #expect(second.duration == .ms(500))
        let missing = PlayerItem(url: URL(fileURLWithPath: "/media/three.mp4"))
        player.replaceCurrentItem(with: missing)
        #expect(missing.status == .failed && missing.error?.code == .notFound)
        #expect(backend.opened == ["/media/one.mp4", two.absoluteString, "/media/three.mp4"])
        #expect(backend.openCount(of: one) == 1 && backend.openCount(of: two) == 1)
        #expect(backend.counts(of: one).decoded > 0 && backend.counts(of: two).reads > 0)
        let all = backend.counts
        #expect(backend.counts(of: one).reads + backend.counts(of: two).reads == all.reads)
        backend[one] = .silentClip([.openFails(.io)])
        player.replaceCurrentItem(with: PlayerItem(url: one))
        #expect(player.currentItem?.error?.code == .io)
        backend[one] = nil
        #expect(backend[one] == nil && backend[two]?.audio?.sampleCount == 24_000)
    }

    @Test("A bench with scripts by URL plays them in a queue")
    func bench() {
        let bench = PlayerTestBench(
            queue: 0,
            settlesByItself: true,
            scripts: [one: .silentClip(), two: ScriptedMedia(video: .init(frameCount: 5))]
        )
        for url in [one, two] { bench.player.insert(PlayerItem(url: url), after: nil) }
        bench.player.play()
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == Array(0..<50) + Array(0..<5))
        #expect(bench.load(at: one).duration == .ms(2000))
    }
}
