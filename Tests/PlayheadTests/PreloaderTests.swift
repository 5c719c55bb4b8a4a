import Dispatch
import Foundation
import MediaCore
import Playhead
import PlayheadTesting
import TestSupport
import Testing

// Rule: preloading
/// Scripts have one frame every 40 ms, and audio.
@Suite("Preloader")
struct PreloaderTests {
    private typealias Bench = PlayerTestBench<Player>

    private func preloader(_ bench: Bench, concurrentLoads: Int = 2) -> Preloader {
        var options = Preloader.Options()
        options.concurrentLoads = concurrentLoads
        return Preloader(
            configuration: Player.Configuration(driver: bench.driver, backend: bench.backend),
            options: options
        )
    }

    private static let targets: [Preloader.Target] = [
        .probed, .loaded(duration: .seconds(0.5)), .loaded(byteCount: 20_000),
        .loaded(duration: .seconds(60)), .firstFrame,
        .firstFrame(loading: .seconds(1)),
    ]

    /// The number of packets that are read for each target.
    private static let reads = [0...0, 12...60, 1...200, 51...400, 1...60, 25...120]

    @Test("Each target prepares what it declares and no more", arguments: zip(targets, reads))
    func stages(_ target: Preloader.Target, _ reads: ClosedRange<Int>) {
        let bench = Bench()
        let asset = bench.backend.makeAsset()
        let preloader = preloader(bench)
        preloader.preload(asset, to: target)
        #expect(preloader.status(of: asset) == .loading)
        bench.driver.run(seconds: 0)
        #expect(preloader.status(of: asset) == .ready)
        #expect(asset.status == .loaded && asset.tracks.count == 2)
        let counts = bench.backend.counts(of: asset.url)
        #expect(reads.contains(counts.reads), "\(counts.reads)")
        #expect(counts.decoded == (target.decodesFirstFrame ? 1 : 0))
        #expect(counts.seeks == 0)
    }

    @Test("The player opens nothing again, and shows and plays the same", arguments: targets)
    func handOver(_ target: Preloader.Target) {
        let plain = Bench()
        plain.load()
        plain.player.play()
        plain.driver.run(seconds: 3)

        let bench = Bench()
        let asset = bench.backend.makeAsset()
        let preloader = preloader(bench)
        preloader.preload(asset, to: target)
        bench.driver.run(seconds: 0)
        bench.load(PlayerItem(asset: asset))
        #expect(preloader.status(of: asset) == nil)
        #expect(bench.videoSink.numbers == [0])
        bench.player.play()
        bench.driver.run(seconds: 3)
        #expect(bench.backend.openCount(of: asset.url) == 1)
        #expect(bench.videoSink.numbers == plain.videoSink.numbers)
        #expect(bench.audioSink.samples == plain.audioSink.samples)
        // A second player, or a seek to the start, opens the asset normally.
        bench.player.seek(to: .ms(400))
        bench.driver.run(seconds: 0)
        #expect(bench.videoSink.numbers.last == 10)
        bench.player.replaceCurrentItem(with: PlayerItem(asset: asset))
        bench.driver.run(seconds: 0)
        #expect(bench.videoSink.numbers.last == 0 && bench.backend.openCount(of: asset.url) == 2)
    }

    @Test("An asset that is added while another thread schedules the others is preloaded")
    func scheduledMeanwhile() {
        let bench = Bench()
        let preloader = preloader(bench)
        for round in 0..<200 {
            let asset = bench.backend.makeAsset()
            DispatchQueue.concurrentPerform(iterations: 2) { index in
                guard index == 1 else { return preloader.preload(asset, to: .probed) }
                while preloader.status(of: asset) == nil {}
                preloader.isPaused = false
            }
            bench.driver.settle()
            #expect(preloader.status(of: asset) == .ready, "round \(round)")
            preloader.cancel(asset)
        }
    }

    @Test("A target that is set while the former one is reached is reached, too")
    func targetMeanwhile() {
        let bench = Bench()
        let preloader = preloader(bench)
        let driver = bench.driver
        for round in 0..<200 {
            let asset = bench.backend.makeAsset()
            preloader.preload(asset, to: .probed)
            DispatchQueue.concurrentPerform(iterations: 2) { index in
                guard index == 1 else { return driver.settle() }
                while asset.status != .loaded {}
                preloader.preload(asset, to: .firstFrame)
            }
            bench.driver.settle()
            #expect(preloader.status(of: asset) == .ready)
            #expect(bench.backend.counts(of: asset.url).decoded == 1, "round \(round)")
            preloader.cancel(asset)
        }
    }

    @Test("If an asset is replaced while another thread adds it, the player gets the later result")
    func replacedMeanwhile() {
        let bench = Bench()
        let preloader = preloader(bench)
        let added = Locked<Asset?>(nil)
        let backend = NoticeHandlerBackend(inner: bench.backend) {
            let asset = added.withLock { asset in
                defer { asset = nil }
                return asset
            }
            guard let asset else { return }
            preloader.cancel(asset)
            preloader.preload(asset, to: .probed)
        }
        let asset = Asset(url: bench.backend.add(), backend: backend)
        added.withLock { $0 = asset }
        preloader.preload(asset, to: .probed)
        bench.driver.run(seconds: 0)
        #expect(preloader.status(of: asset) == .ready)
        bench.load(PlayerItem(asset: asset))
        #expect(preloader.status(of: asset) == nil)
        #expect(bench.videoSink.numbers == [0])
        #expect(bench.backend.openCount(of: asset.url) == 2)
    }

    @Test("Media that begins after centuries is preloaded")
    func extremeTime() {
        let bench = Bench()
        let start = MediaTime(value: 9_300_000_000, timescale: 1)
        let asset = bench.makeItem(ScriptedMedia(video: .init(frameCount: 10, start: start))).asset
        let preloader = preloader(bench)
        preloader.preload(asset, to: .loaded(duration: .seconds(1)))
        bench.driver.run(seconds: 0)
        #expect(preloader.status(of: asset) == .ready)
    }

    /// The third packet arrives after a second.
    private static let slow = ScriptedMedia.clip([.stall(atPacket: 2, until: 1)])

    @Test("A start that takes a second without preloading shows its frame within one frame duration")
    func quick() {
        let bench = Bench(Self.slow)
        let asset = bench.backend.makeAsset()
        let preloader = preloader(bench)
        preloader.preload(asset, to: .firstFrame(loading: .seconds(0.5)))
        bench.driver.run(seconds: 0.5)
        #expect(preloader.status(of: asset) == .loading)
        bench.driver.run(seconds: 0.6)
        #expect(preloader.status(of: asset) == .ready)
        let begin = bench.driver.now
        bench.load(PlayerItem(asset: asset))
        bench.player.play()
        bench.driver.run(seconds: 0.2)
        let shown = bench.videoSink.frames.map { $0.hostTime.nanoseconds(since: begin) }
        #expect(shown.first.map { $0 < 40_000_000 } ?? false)
        #expect(shown.count >= 5)
    }

    @Test("A player may claim the result at any time during loading", arguments: 0..<40)
    func inTheMiddle(steps: Int) {
        let bench = Bench(ScriptedMedia.clip([.stall(atPacket: 20, until: 1)]))
        let asset = bench.backend.makeAsset()
        let preloader = preloader(bench)
        preloader.preload(asset, to: .firstFrame(loading: .seconds(1)))
        for _ in 0..<steps { bench.driver.step() }
        bench.player.replaceCurrentItem(with: PlayerItem(asset: asset))
        bench.player.play()
        bench.driver.run(seconds: 5)
        #expect(bench.backend.openCount(of: asset.url) == 1)
        #expect(bench.videoSink.numbers == Array(0..<50))
        #expect(preloader.status(of: asset) == nil)
    }

    @Test("Without audio, with other limits and with another backend, playback is as without a preloader")
    func others() {
        for configure: (inout Player.Configuration) -> Void in [
            { $0.audio = .none }, { $0.decoding.maximumStreamCount = 7 }, { $0.decoding.threadCount = 3 },
        ] {
            let bench = Bench(configure: configure)
            let asset = bench.backend.makeAsset()
            let preloader = preloader(bench)
            preloader.preload(asset, to: .firstFrame(loading: .seconds(1)))
            bench.driver.run(seconds: 0)
            bench.load(PlayerItem(asset: asset))
            bench.player.play()
            bench.driver.run(seconds: 3)
            #expect(bench.videoSink.numbers == Array(0..<50))
        }
    }

    @Test("Assets are loaded by rank and then by the order of the calls, one after the other if requested")
    func ranks() {
        let bench = Bench()
        let preloader = preloader(bench, concurrentLoads: 1)
        let assets = (0..<4).map { _ in bench.backend.makeAsset(Self.slow) }
        for (asset, rank) in zip(assets, [2, 1, 2, 0]) {
            preloader.preload(asset, to: .loaded(duration: .seconds(1)), rank: rank)
        }
        #expect(assets.map { preloader.status(of: $0) } == [.waiting, .waiting, .waiting, .loading])
        bench.driver.run(seconds: 0)
        let reads = assets.map { bench.backend.counts(of: $0.url).reads }
        #expect(reads[0] == 0 && reads[1] == 0 && reads[2] == 0 && reads[3] > 0)
        // The third asset now has the lowest rank: it continues, and the others are suspended.
        preloader.preload(assets[2], to: .loaded(duration: .seconds(1)), rank: -1)
        #expect(assets.map { preloader.status(of: $0) } == [.waiting, .waiting, .loading, .waiting])
        bench.driver.run(seconds: 0.5)
        #expect(bench.backend.counts(of: assets[2].url).reads > 0)
        #expect(bench.backend.counts(of: assets[1].url).reads == 0)
        bench.driver.run(seconds: 1)
        #expect(assets.allSatisfy { preloader.status(of: $0) == .ready })
        // A list replaces all earlier requests.
        let last = bench.backend.makeAsset()
        preloader.preload([(assets[1], .probed), (last, .probed)])
        bench.driver.run(seconds: 0)
        #expect(assets.map { preloader.status(of: $0) } == [nil, .ready, nil, nil])
        #expect(preloader.status(of: last) == .ready)
    }

    @Test("Cancelling releases the result, and a player opens the asset itself")
    func cancelled() {
        let bench = Bench(Self.slow)
        let preloader = preloader(bench)
        let (early, ready, released) = (
            bench.backend.makeAsset(), bench.backend.makeAsset(.clip()), bench.backend.makeAsset(.clip())
        )
        preloader.preload(early, to: .loaded(duration: .seconds(1)))
        preloader.preload(ready, to: .firstFrame)
        bench.driver.run(seconds: 0)
        preloader.cancel(early)
        preloader.cancel(ready)
        preloader.cancel(ready)
        #expect(preloader.status(of: early) == nil && preloader.status(of: ready) == nil)
        bench.driver.run(seconds: 2)
        for asset in [early, ready] {
            #expect(bench.backend.counts(of: asset.url).cancelled == 1)
            bench.load(PlayerItem(asset: asset))
            #expect(bench.backend.openCount(of: asset.url) == 2)
            #expect(bench.videoSink.numbers.last == 0)
        }
        do {
            let other = self.preloader(bench)
            other.preload(released, to: .firstFrame)
            bench.driver.run(seconds: 0)
        }
        #expect(bench.backend.counts(of: released.url).cancelled == 1)
    }

    @Test("While a playing item needs data no loading starts, and it resumes by itself afterwards")
    func hungry() {
        var media = ScriptedMedia.clip([.stall(atPacket: 30, until: 2)])
        media.isLocal = false
        let bench = Bench(media)
        let preloader = preloader(bench)
        bench.load()
        bench.player.play()
        bench.driver.run(seconds: 1.5)
        #expect(bench.player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
        #expect(preloader.isSuspended)
        let asset = bench.backend.makeAsset(.clip())
        preloader.preload(asset, to: .firstFrame)
        bench.driver.run(seconds: 0.3)
        #expect(preloader.status(of: asset) == .waiting && asset.status == .unknown)
        bench.driver.run(seconds: 0.5)
        #expect(!preloader.isSuspended)
        #expect(preloader.status(of: asset) == .ready)
        // A paused player needs no data, and neither does a released one.
        let other = Bench(media)
        let beside = self.preloader(other)
        other.load()
        other.player.play()
        other.driver.run(seconds: 1.5)
        #expect(beside.isSuspended)
        other.player.pause()
        other.driver.run(seconds: 0)
        #expect(!beside.isSuspended)
    }

    @Test("While paused no loading starts, and loading in progress is suspended")
    func paused() {
        let bench = Bench(Self.slow)
        let preloader = preloader(bench)
        preloader.isPaused = true
        let asset = bench.backend.makeAsset()
        preloader.preload(asset, to: .probed)
        bench.driver.run(seconds: 1)
        #expect(preloader.isSuspended && preloader.status(of: asset) == .waiting && asset.status == .unknown)
        preloader.isPaused = false
        bench.driver.run(seconds: 0)
        #expect(preloader.status(of: asset) == .ready)
    }

    @Test("A failure is reported, retried on request, and reported by a player too")
    func failures() {
        let bench = Bench()
        let preloader = preloader(bench)
        for fault in [ScriptedMedia.Fault.openFails(.notFound), .lost(fromPacket: 1)] {
            let asset = bench.backend.makeAsset(.clip([fault]))
            preloader.preload(asset, to: .loaded(duration: .seconds(1)))
            bench.driver.run(seconds: 0)
            guard case .failed(let error)? = preloader.status(of: asset) else {
                Issue.record("\(String(describing: preloader.status(of: asset)))")
                continue
            }
            #expect(!error.message.isEmpty)
            bench.backend[asset.url] = .clip()
            preloader.preload(asset, to: .loaded(duration: .seconds(1)))
            bench.driver.run(seconds: 0)
            #expect(preloader.status(of: asset) == .ready)
        }
        let broken = bench.backend.makeAsset(.clip([.openFails(.notFound)]))
        preloader.preload(broken, to: .probed)
        bench.driver.run(seconds: 0)
        let item = PlayerItem(asset: broken)
        bench.load(item)
        #expect(item.status == .failed)
    }

    /// A file whose bytes come from a source of the application. It is preloaded and then played.
    private final class FileScene {
        let driver = ManualDriver()
        let source: ScriptedByteSource
        let asset: Asset
        let preloader: Preloader
        private let configuration: Player.Configuration
        private var layers: [PlayerLayer] = []
        private var players: [Player] = []

        static let url = Fixture.url("clip-h264-aac.mp4")

        init(_ waiting: ScriptedByteSource.Waiting = .blocks, heldFrom offset: Int64? = nil) throws {
            var configuration = Player.Configuration()
            configuration.clock = .driver(driver)
            configuration.audio = .none
            self.configuration = configuration
            source = try ScriptedByteSource(contentsOfFile: Self.url.path, waiting: waiting)
            if let offset { source.hold(from: offset) }
            asset = Asset(url: Self.url, options: AssetOptions(byteSource: source))
            preloader = Preloader(configuration: configuration)
            preloader.preload(asset, to: .firstFrame(loading: .seconds(1)))
        }

        deinit { for layer in layers { layer.player = nil } }

        /// Played without a preloader.
        func play(_ asset: Asset) -> CapturingVideoSink {
            let sink = CapturingVideoSink(clock: driver.clock)
            let player = Player(playerItem: PlayerItem(asset: asset), configuration: configuration)
            let layer = PlayerLayer(player: player)
            layer.add(sink)
            players.append(player)
            layers.append(layer)
            player.play()
            return sink
        }
    }

    @Test(
        "A player that claims the result while its bytes arrive continues the requests",
        arguments: [0, 400, 20_000] as [Int64]
    )
    func underWay(from offset: Int64) throws {
        let scene = try FileScene(.throwsNotReady, heldFrom: offset)
        scene.driver.run(seconds: 1)
        #expect(scene.preloader.status(of: scene.asset) == .loading && scene.source.counts.waits > 0)
        let sink = scene.play(scene.asset)
        scene.driver.run(seconds: 1)
        #expect(scene.preloader.status(of: scene.asset) == nil && sink.frames.count < 90)
        scene.source.release()
        scene.driver.run(seconds: 10)
        #expect(scene.source.counts.readers == 1)
        #expect(sink.frames.count == 90)
    }

    @Test("A byte source has one reader, before and after the handover")
    func bytes() throws {
        let scene = try FileScene()
        scene.driver.run(seconds: 0)
        #expect(scene.preloader.status(of: scene.asset) == .ready)
        let sink = scene.play(scene.asset)
        scene.driver.run(seconds: 10)
        #expect(scene.source.counts.readers == 1)
        let plain = scene.play(Asset(url: FileScene.url))
        scene.driver.run(seconds: 10)
        #expect(sink.frames.map(\.time) == plain.frames.map(\.time))
        #expect(!sink.frames.isEmpty)
    }
}
