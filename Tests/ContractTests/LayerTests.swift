import Playhead
import PlayheadTesting
import Testing

@Suite("Contract: layers")
struct LayerTests {
    @Test("Ready for display with the first picture of the current item, not before, and anew for each item")
    func readiness() {
        let scene = Scene()
        #expect(!scene.layer.isReadyForDisplay)
        let item = scene.makeItem(Scene.clip([.stall(atPacket: 0, until: 1)]))
        scene.player.replaceCurrentItem(with: item)
        scene.driver.run(seconds: 0.5)
        #expect(item.status == .readyToPlay)
        #expect(!scene.layer.isReadyForDisplay)
        scene.driver.run(seconds: 1)
        #expect(scene.layer.isReadyForDisplay)
        scene.player.replaceCurrentItem(with: scene.makeItem(Scene.clip([.stall(atPacket: 0, until: 5)])))
        scene.driver.run(seconds: 0.5)
        #expect(!scene.layer.isReadyForDisplay)
        scene.driver.run(seconds: 5)
        #expect(scene.layer.isReadyForDisplay)
    }

    @Test("A layer that goes finishes its sinks, whether it has a player, had one, or never had")
    func finishes() async {
        for case let state in ["has", "had", "never"] {
            await withCheckedContinuation { continuation in
                let sink = CallbackVideoSink(onFinish: { continuation.resume() }, onFrame: { _ in })
                var scene: Scene? = Scene()
                var layer: PlayerLayer? = PlayerLayer(player: state == "never" ? nil : scene?.player)
                layer?.add(sink)
                scene?.load()
                if state == "had" { layer?.player = nil }
                layer = nil
                scene?.driver.settle()
                scene = nil
            }
        }
    }

    @Test("Sound alone never makes it ready")
    func soundAlone() {
        let scene = Scene()
        scene.load(ScriptedMedia(video: nil, audio: .init(sampleCount: 48_000)))
        scene.player.play()
        scene.driver.run(seconds: 0.5)
        #expect(!scene.layer.isReadyForDisplay)
        #expect(scene.layer.videoRect == .zero)
    }

    @Test(
        "Where the picture lies: fitted inside by default, filling, or stretched; live when the size changes"
    )
    func rect() {
        let scene = Scene()
        let layer = scene.layer
        #expect(layer.videoGravity == .resizeAspect)
        #expect(layer.videoRect == .zero)
        scene.load()
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
        let scene = Scene()
        let sinks = (0..<2).map { _ in CapturingVideoSink(clock: scene.driver.clock) }
        let second = PlayerLayer(player: scene.player)
        second.add(sinks[0])
        scene.load()
        scene.player.play()
        scene.driver.run(seconds: 1)
        let third = PlayerLayer(player: scene.player)
        third.add(sinks[1])
        scene.driver.run(seconds: 5)
        #expect(scene.sink.numbers == Array(0..<50))
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
        let scene = Scene()
        let layer = PlayerLayer()
        weak var player: Player?
        do {
            let made = Scene.makePlayer(scene.driver, scene.scripts)
            player = made
            layer.player = made
        }
        scene.driver.settle()
        #expect(player != nil)
        layer.player = nil
        scene.driver.settle()
        #expect(player == nil)
    }

    @Test("Added and removed while playing, a layer holds up nothing")
    func attachAndDetach() {
        let scene = Scene()
        scene.load()
        scene.player.play()
        for _ in 0..<20 {
            scene.driver.run(seconds: 0.05)
            scene.layer.player = nil
            scene.driver.run(seconds: 0.03)
            scene.layer.player = scene.player
        }
        #expect(scene.driver.now == .ms(1600))
        #expect(scene.player.currentTime() == .ms(1600))
        #expect(scene.sight == "1.0 playing")
        #expect(scene.player.counters.framesPresented == 41)
    }

    @Test("A filter sees every picture before the sinks do, may leave one out, and touches no other layer")
    func filter() {
        let scene = Scene()
        let other = CapturingVideoSink(clock: scene.driver.clock)
        let plain = PlayerLayer(player: scene.player)
        plain.add(other)
        let seen = Locked([MediaTime]())
        scene.layer.videoFilter = { frame in
            seen.withLock { $0.append(frame.presentationTime) }
            var frame = frame
            frame.format.isMirrored = true
            return frame.isKeyFrame ? frame : nil
        }
        #expect(scene.layer.videoFilter != nil)
        scene.load()
        scene.player.play()
        scene.driver.run(seconds: 60)
        #expect(scene.sink.numbers == [0, 10, 20, 30, 40])
        #expect(seen.withLock { $0 } == (0..<50).map { .ms($0 * 40) })
        #expect(other.numbers == Array(0..<50))
        // A picture that is left out completes a seek nevertheless; without a filter all are shown again.
        scene.seek("seek", to: .ms(1000))
        scene.driver.run(seconds: 1)
        #expect(scene.told(of: "seek true") == ["seek true"])
        #expect(scene.sink.numbers.count == 5)
        scene.layer.videoFilter = nil
        scene.seek("seek", to: .ms(1000))
        scene.driver.run(seconds: 1)
        #expect(scene.sink.numbers.last == 25)
        plain.player = nil
    }
}
