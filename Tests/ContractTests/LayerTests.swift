import Playhead
import PlayheadTesting
import TestSupport
import Testing

@Suite("Contract: layers")
struct LayerTests {
    @Test("Ready for display with the first picture of the current item, not before, and anew for each item")
    func readiness() {
        let bench = PlayerTestBench(.silentClip())
        #expect(!bench.layer.isReadyForDisplay)
        let item = bench.makeItem(.silentClip([.stall(atPacket: 0, until: 1)]))
        bench.player.replaceCurrentItem(with: item)
        bench.driver.run(seconds: 0.5)
        #expect(item.status == .readyToPlay)
        #expect(!bench.layer.isReadyForDisplay)
        bench.driver.run(seconds: 1)
        #expect(bench.layer.isReadyForDisplay)
        bench.player.replaceCurrentItem(with: bench.makeItem(.silentClip([.stall(atPacket: 0, until: 5)])))
        bench.driver.run(seconds: 0.5)
        #expect(!bench.layer.isReadyForDisplay)
        bench.driver.run(seconds: 5)
        #expect(bench.layer.isReadyForDisplay)
    }

    @Test("A layer that goes finishes its sinks, whether it has a player, had one, or never had")
    func finishes() async {
        for case let state in ["has", "had", "never"] {
            await withCheckedContinuation { continuation in
                let sink = CallbackVideoSink(onFinish: { continuation.resume() }, onFrame: { _ in })
                var bench: PlayerTestBench<Player>? = PlayerTestBench(.silentClip())
                var layer: PlayerLayer? = PlayerLayer(player: state == "never" ? nil : bench?.player)
                layer?.add(sink)
                bench?.load()
                if state == "had" { layer?.player = nil }
                layer = nil
                bench?.driver.settle()
                bench = nil
            }
        }
    }

    @Test("Sound alone never makes it ready")
    func soundAlone() {
        let bench = PlayerTestBench(.silentClip())
        bench.load(ScriptedMedia(video: nil, audio: .init(sampleCount: 48_000)))
        bench.player.play()
        bench.driver.run(seconds: 0.5)
        #expect(!bench.layer.isReadyForDisplay)
        #expect(bench.layer.videoRect == .zero)
    }

    @Test(
        "Where the picture lies: fitted inside by default, filling, or stretched; live when the size changes"
    )
    func rect() {
        let bench = PlayerTestBench(.silentClip())
        let layer = bench.layer
        #expect(layer.videoGravity == .resizeAspect)
        #expect(layer.videoRect == .zero)
        bench.load()
        #expect(layer.videoRect == PixelRect(x: 0, y: 0, width: 16, height: 8))
        layer.size = PixelSize(width: 64, height: 64)
        #expect(layer.videoRect == PixelRect(x: 0, y: 16, width: 64, height: 32))
        layer.videoGravity = .resizeAspectFill
        #expect(layer.videoRect == PixelRect(x: -32, y: 0, width: 128, height: 64))
        layer.videoGravity = .resize
        #expect(layer.videoRect == PixelRect(x: 0, y: 0, width: 64, height: 64))
    }

    @Test("Every layer of a player shows every picture; one that comes late begins with what is shown")
    func several() {
        let bench = PlayerTestBench(.silentClip())
        let sinks = (0..<2).map { _ in CapturingVideoSink(clock: bench.driver.clock) }
        let second = PlayerLayer(player: bench.player)
        second.add(sinks[0])
        bench.load()
        bench.player.play()
        bench.driver.run(seconds: 1)
        let third = PlayerLayer(player: bench.player)
        third.add(sinks[1])
        bench.driver.run(seconds: 5)
        #expect(bench.videoSink.numbers == Array(0..<50))
        #expect(sinks[0].numbers == Array(0..<50))
        #expect(sinks[1].numbers == Array(25..<50))
        second.player = nil
        third.player = nil
    }

    @Test(
        "Each sink of a layer gets the pixel format it asks for, or the decoder's own",
        .enabled(if: Fixture.areThere, "make fixtures")
    )
    func formats() async {
        let seen = Locked((own: Set<PixelFormat>(), wanted: Set<PixelFormat>()))
        var configuration = Player.Configuration()
        configuration.clock = .virtual
        let player = Player(configuration: configuration)
        let layer = PlayerLayer(player: player)
        layer.add(
            CallbackVideoSink { frame in _ = seen.withLock { $0.own.insert(frame.format.pixelFormat) } }
        )
        layer.add(
            CallbackVideoSink(pixelFormats: [.rgba, .gray]) { frame in
                _ = seen.withLock { $0.wanted.insert(frame.format.pixelFormat) }
            }
        )
        let events = player.events
        player.play()
        player.replaceCurrentItem(with: PlayerItem(url: Fixture.url("two-languages.mkv")))
        for await event in events { if case .didPlayToEndTime = event { break } }
        await player.shutdown()
        #expect(seen.withLock { $0.own } == [.yuv420p])
        #expect(seen.withLock { $0.wanted } == [.rgba])
    }

    @Test("A layer keeps its player alive, and lets go of it when told to")
    func ownership() {
        let bench = PlayerTestBench(.silentClip())
        let layer = PlayerLayer()
        weak var player: Player?
        do {
            let made = Player(configuration: bench.player.configuration)
            player = made
            layer.player = made
        }
        bench.driver.settle()
        #expect(player != nil)
        layer.player = nil
        bench.driver.settle()
        #expect(player == nil)
    }

    @Test("Added and removed while playing, a layer holds up nothing")
    func attachAndDetach() {
        let bench = PlayerTestBench(.silentClip())
        bench.load()
        bench.player.play()
        for _ in 0..<20 {
            bench.driver.run(seconds: 0.05)
            bench.layer.player = nil
            bench.driver.run(seconds: 0.03)
            bench.layer.player = bench.player
        }
        #expect(bench.driver.now == .ms(1600))
        #expect(bench.player.currentTime() == .ms(1600))
        #expect(bench.sight == "1.0 playing")
        #expect(bench.player.counters.framesPresented == 41)
    }

    @Test("A filter sees every picture before the sinks do, may leave one out, and touches no other layer")
    func filter() {
        let bench = PlayerTestBench(.silentClip())
        let other = CapturingVideoSink(clock: bench.driver.clock)
        let plain = PlayerLayer(player: bench.player)
        plain.add(other)
        let seen = Locked([MediaTime]())
        bench.layer.videoFilter = { frame in
            seen.withLock { $0.append(frame.presentationTime) }
            var frame = frame
            frame.format.isMirrored = true
            return frame.isKeyFrame ? frame : nil
        }
        #expect(bench.layer.videoFilter != nil)
        bench.load()
        bench.player.play()
        bench.driver.run(seconds: 60)
        #expect(bench.videoSink.numbers == [0, 10, 20, 30, 40])
        #expect(seen.withLock { $0 } == (0..<50).map { .ms($0 * 40) })
        #expect(other.numbers == Array(0..<50))
        // A picture that is left out completes a seek nevertheless; without a filter all are shown again.
        bench.seek("seek", to: .ms(1000))
        bench.driver.run(seconds: 1)
        #expect(bench.takeLines(of: "seek true") == ["seek true"])
        #expect(bench.videoSink.numbers.count == 5)
        bench.layer.videoFilter = nil
        bench.seek("seek", to: .ms(1000))
        bench.driver.run(seconds: 1)
        #expect(bench.videoSink.numbers.last == 25)
        plain.player = nil
    }
}
