import Playhead
import PlayheadTesting
import TestSupport
import Testing

// Rule: shared-conversion
@Suite("Contract: layers")
struct LayerTests {
    @Test("A layer is ready for display from the first frame of the current item on, again for each item")
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

    @Test(
        "A layer that is released finishes its sinks, with a player, after having one, or without ever having one"
    )
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

    @Test(
        "A sink is finished once and last, at whatever step of a seek its layer leaves the player",
        arguments: 0..<5
    )
    func leaving(way: Int) {
        for count in 0..<1000 {
            let bench = PlayerTestBench(.silentClip())
            bench.load()
            let other = Player(playerItem: bench.makeItem(), configuration: bench.player.configuration)
            let sink = CapturingVideoSink(clock: bench.driver.clock)
            var layer: PlayerLayer? = PlayerLayer(player: bench.player)
            layer?.add(sink)
            bench.driver.settle()
            bench.player.seek(to: .ms(400), toleranceBefore: .zero, toleranceAfter: .zero)
            var isSettled = false
            for _ in 0..<count where !bench.driver.step() { isSettled = true }
            switch way {
            case 0:
                layer?.player = nil
                layer?.remove(sink)
            case 1:
                layer?.player = other
                layer?.remove(sink)
            case 2:
                layer?.player = nil
                layer?.player = other
                layer?.remove(sink)
            case 3:
                layer?.player = other
                layer = nil
            default:
                layer?.player = nil
                layer?.player = other
                layer = nil
            }
            bench.driver.settle()
            #expect(sink.calls.last == .finish, "after \(count) steps")
            #expect(sink.calls.filter { $0 == .finish }.count == 1, "after \(count) steps")
            layer = nil
            if isSettled { return }
        }
        Issue.record("the seek has not ended")
    }

    @Test(
        "A sink that is removed before and added after a change of the player is finished before it starts again",
        arguments: [1, 2]
    )
    func addedAgain(changes: Int) {
        let bench = PlayerTestBench(.silentClip())
        let others = (0..<changes).map { _ in PlayerTestBench(.silentClip()) }
        for other in [bench] + others { other.load() }
        let sink = CapturingVideoSink(clock: bench.driver.clock)
        let layer = PlayerLayer(player: bench.player)
        layer.add(sink)
        bench.driver.settle()
        let calls = sink.calls
        layer.remove(sink)
        for other in others { layer.player = other.player }
        layer.add(sink)
        // The first player has not finished the sink.
        for other in others { other.driver.settle() }
        #expect(sink.calls == calls)
        bench.driver.settle()
        for other in others { other.driver.settle() }
        let later = sink.calls.dropFirst(calls.count)
        #expect(later.first == .finish && later.count > 1 && !later.dropFirst().contains(.finish))
    }

    @Test(
        "A sink that is removed while it is being added, or while its layer gets a player, is finished",
        arguments: [false, true]
    )
    func removedMeanwhile(getsPlayer: Bool) {
        let bench = PlayerTestBench(.silentClip())
        bench.load()
        let layer = PlayerLayer(player: getsPlayer ? nil : bench.player)
        // The layer reads the formats without a lock, so another thread may remove the sink at this time.
        let sink = AskedSink { [weak layer] in layer?.remove($0) }
        layer.add(sink)
        if getsPlayer { layer.player = bench.player }
        bench.player.play()
        bench.driver.run(seconds: 1)
        #expect(sink.finishCount == 1)
        #expect(layer.counters(of: sink) == nil)
    }

    @Test(
        "A sink that fails at a frame of a former player of its layer is finished once, and called no more",
        arguments: 0..<6
    )
    func failsAfterChange(way: Int) {
        let (first, second) = (PlayerTestBench(.silentClip()), PlayerTestBench(.silentClip()))
        for bench in [first, second] { bench.load() }
        let sink = CapturingVideoSink(clock: first.driver.clock)
        sink.fail(atFrame: 1)
        var layer: PlayerLayer? = PlayerLayer(player: first.player)
        first.driver.settle()
        // The current frame is on its way to the sink.
        layer?.add(sink)
        switch way {
        case 0:
            layer?.player = second.player
            layer?.remove(sink)
        case 1:
            layer?.player = nil
            layer?.remove(sink)
        case 2:
            layer?.player = nil
            layer = nil
        case 3:
            layer?.player = second.player
            layer?.player = nil
            layer?.remove(sink)
        case 4:
            layer?.player = second.player
            layer = nil
        default: layer?.player = second.player
        }
        #expect(sink.calls.isEmpty)
        first.driver.settle()
        second.player.play()
        second.driver.run(seconds: 1)
        layer = nil
        second.driver.settle()
        #expect(sink.calls.count == 3 && sink.calls.last == .finish)
    }

    @Test("A sink that fails while its layer gets another player is finished once")
    func failsDuringChange() {
        let (first, second) = (PlayerTestBench(.silentClip()), PlayerTestBench(.silentClip()))
        for bench in [first, second] { bench.load() }
        let layer = PlayerLayer(player: first.player)
        first.driver.settle()
        // The layer reads the formats without a lock, so the sink may receive a frame on another thread at this time.
        let sink = AskedSink(fails: true) { [driver = first.driver] _ in driver.settle() }
        layer.add(sink)
        #expect(sink.finishCount == 0)
        layer.player = second.player
        #expect(sink.finishCount == 1)
        for bench in [first, second] { bench.driver.settle() }
        #expect(sink.finishCount == 1)
        #expect(layer.counters(of: sink) == nil)
    }

    @Test("What a filter retains may change the layer when it is released", arguments: [false, true])
    func releasedFilter(hasPlayer: Bool) {
        let bench = PlayerTestBench(.silentClip())
        let layer = PlayerLayer(player: hasPlayer ? bench.player : nil)
        do {
            let owner = ReleasedObject { [weak layer] in layer?.size = PixelSize(width: 4, height: 4) }
            layer.videoFilter = { frame in withExtendedLifetime(owner) { frame } }
        }
        #expect(layer.size == nil)
        layer.videoFilter = nil
        #expect(layer.size == PixelSize(width: 4, height: 4))
        layer.player = nil
    }

    @Test(
        "A layer whose player is set again while it is being changed shows only the player that was set last"
    )
    func playerChangedMeanwhile() {
        let (first, second) = (PlayerTestBench(.silentClip()), PlayerTestBench(.silentClip()))
        for bench in [first, second] { bench.load() }
        let layer = PlayerLayer()
        // The layer reads the formats without a lock, so another thread may change the player at this time.
        let sink = AskedSink { [weak layer, weak player = second.player] _ in layer?.player = player }
        layer.add(sink)
        layer.player = first.player
        #expect(layer.player === second.player)
        first.player.shutdown {}
        first.driver.settle()
        #expect(sink.finishCount == 0)
        second.player.play()
        second.driver.run(seconds: 1)
        #expect(layer.counters(of: sink).map { $0.framesDelivered > 1 } == true)
        #expect(layer.isReadyForDisplay)
        layer.player = nil
    }

    @Test(
        "A sink that has failed, or that was finished with its player, is not started by the next player",
        arguments: [true, false]
    )
    func finishedSink(fails: Bool) {
        let bench = PlayerTestBench(.silentClip())
        let other = Player(playerItem: bench.makeItem(), configuration: bench.player.configuration)
        let sink = CapturingVideoSink(clock: bench.driver.clock)
        var layer: PlayerLayer? = PlayerLayer(player: bench.player)
        layer?.add(sink)
        if fails { sink.fail(atFrame: 1) }
        bench.load()
        if !fails { bench.player.shutdown {} }
        bench.driver.settle()
        let calls = sink.calls
        #expect(calls.last == .finish)
        layer?.player = other
        bench.driver.settle()
        layer?.player = nil
        bench.driver.settle()
        layer = nil
        bench.driver.settle()
        #expect(sink.calls == calls)
    }

    @Test("An item with audio only never makes a layer ready for display")
    func audioOnly() {
        let bench = PlayerTestBench(.silentClip())
        bench.load(ScriptedMedia(video: nil, audio: .init(sampleCount: 48_000)))
        bench.player.play()
        bench.driver.run(seconds: 0.5)
        #expect(!bench.layer.isReadyForDisplay)
        #expect(bench.layer.videoRect == .zero)
    }

    @Test(
        "The video rectangle fits by default, fills or stretches, and follows changes of the layer's size"
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

    @Test(
        "With a size every sink gets frames of exactly that size, upright, with square pixels, for every gravity"
    )
    func exactSize() {
        let bench = PlayerTestBench(.silentClip(), settlesByItself: true)
        let formats = Locked([VideoFormat]())
        bench.layer.add(CallbackVideoSink { frame in formats.withLock { $0.append(frame.format) } })
        let size = PixelSize(width: 65, height: 43)
        bench.layer.size = size
        // The stream is marked as rotated and has non-square pixels.
        bench.layer.videoFilter = { frame in
            var frame = frame
            frame.format.rotation = .clockwise90
            frame.format.isMirrored = true
            frame.format.pixelAspectRatio = Rational(32, 27)
            return frame
        }
        bench.load()
        // The frame is displayed as 8 x 18.96, so a height of 43 gives a width of 18.14.
        #expect(bench.layer.videoRect == PixelRect(x: 23, y: 0, width: 18, height: 43))
        for gravity in [VideoGravity.resizeAspectFill, .resize] {
            bench.layer.videoGravity = gravity
        }
        #expect(formats.withLock { $0.map(\.shape) } == Array(repeating: VideoShape(size: size), count: 3))
        // Without a size the frame is as it was coded.
        bench.layer.size = nil
        #expect(formats.withLock { $0.last }?.shape.rotation == .clockwise90)
        #expect(formats.withLock { $0.last }?.size == PixelSize(width: 16, height: 8))
        #expect(bench.layer.videoRect == PixelRect(x: 0, y: 0, width: 8, height: 19))
    }

    @Test(
        "Size, gravity and background color apply at once while paused, and a layer without an area shows nothing"
    )
    func whilePaused() {
        let bench = PlayerTestBench(.silentClip(), settlesByItself: true)
        bench.load()
        let size = PixelSize(width: 64, height: 64)
        let changes: [(PlayerLayer) -> Void] = [
            { $0.size = size }, { $0.size = size }, { $0.videoGravity = .resizeAspectFill },
            { $0.backgroundColor = .white }, { $0.size = .zero }, { $0.size = size }, { $0.size = nil },
            { $0.videoGravity = .resize }, { $0.backgroundColor = .black },
        ]
        var shown: [Int] = []
        for change in changes {
            change(bench.layer)
            shown.append(bench.videoSink.numbers.count)
        }
        // Without a size neither gravity nor background color has an effect.
        #expect(shown == [2, 2, 3, 4, 4, 5, 6, 6, 6])
        #expect(bench.videoSink.numbers.allSatisfy { $0 == 0 })
        let sizes = bench.videoSink.calls.compactMap {
            if case .start(let size, _) = $0 { size } else { nil }
        }
        let own = PixelSize(width: 16, height: 8)
        #expect(sizes == [own, size, own])
        // The player is paused in the middle, so the visible frame is the one in the middle.
        bench.player.play()
        bench.driver.run(seconds: 1)
        bench.player.pause()
        bench.layer.size = size
        #expect(bench.videoSink.numbers.suffix(2) == [25, 25])
        // Frames from before the replacement are not shown again.
        bench.player.replaceCurrentItem(
            with: bench.makeItem(ScriptedMedia.silentClip([.stall(atPacket: 0, until: 9)]))
        )
        bench.layer.size = own
        bench.driver.run(seconds: 2)
        #expect(bench.videoSink.numbers.last == 25 && bench.videoSink.numbers.count == 32)
    }

    @Test(
        "Settings that change during playback apply to the next frame, or to the visible one if none is due soon"
    )
    func refreshing() {
        let bench = PlayerTestBench(.silentClip())
        bench.load(ScriptedMedia(video: .init(frameCount: 30, frameRate: 25)))
        bench.player.play()
        bench.driver.run(seconds: 0.5)
        bench.layer.size = PixelSize(width: 64, height: 64)
        bench.driver.run(seconds: 9)
        #expect(bench.videoSink.numbers == Array(0..<30))
        let slow = PlayerTestBench(.silentClip())
        slow.load(ScriptedMedia(video: .init(frameCount: 10, frameRate: 1)))
        slow.player.play()
        slow.driver.run(seconds: 1.5)
        slow.layer.size = PixelSize(width: 64, height: 64)
        slow.layer.size = PixelSize(width: 32, height: 32)
        slow.driver.run(seconds: 0.05)
        #expect(slow.videoSink.numbers == [0, 1])
        slow.driver.run(seconds: 0.06)
        #expect(slow.videoSink.numbers == [0, 1, 1])
        slow.driver.run(seconds: 1)
        #expect(slow.videoSink.numbers == [0, 1, 1, 2])
    }

    @Test(
        "Every layer of a player shows every frame, and a layer that is added later begins with the visible frame"
    )
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
        "Each sink of a layer gets its requested pixel format, or the decoder's own",
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

    @Test("A layer keeps its player alive, and releases it on request")
    func ownership() {
        let bench = PlayerTestBench(.silentClip(), settlesByItself: true)
        let layer = PlayerLayer()
        weak var player: Player?
        do {
            let made = Player(configuration: bench.player.configuration)
            player = made
            layer.player = made
        }
        #expect(player != nil)
        layer.player = nil
        #expect(player == nil)
    }

    @Test("Adding and removing a layer during playback delays nothing")
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
        #expect(bench.stateLine == "1.0 playing")
        #expect(bench.player.counters.framesPresented == 41)
    }

    @Test("A filter gets every frame before the sinks do, may drop it, and affects no other layer")
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
        // A dropped frame still completes a seek, and without a filter all frames are shown again.
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

    @Test("In a layer without a size a sink chooses between upright frames and frames as decoded")
    func upright() {
        let bench = PlayerTestBench(.silentClip(), settlesByItself: true)
        let shapes = Locked([String: VideoShape]())
        for isUpright in [false, true] {
            bench.layer.add(
                CallbackVideoSink(appliesPreferredTrackTransform: isUpright) { frame in
                    shapes.withLock { $0["\(isUpright)"] = frame.format.shape }
                }
            )
        }
        bench.layer.videoFilter = { frame in
            var frame = frame
            frame.format.rotation = .clockwise90
            frame.format.pixelAspectRatio = Rational(2, 1)
            return frame
        }
        bench.load()
        let coded = VideoShape(
            size: PixelSize(width: 16, height: 8),
            pixelAspectRatio: Rational(2, 1),
            rotation: .clockwise90
        )
        #expect(shapes.withLock { $0["false"] } == coded)
        #expect(shapes.withLock { $0["true"] } == VideoShape(size: PixelSize(width: 8, height: 32)))
        #expect(bench.player.counters.framesConverted == 1)
        // With a size both sinks get the same frames.
        bench.layer.size = PixelSize(width: 64, height: 64)
        #expect(shapes.withLock { Set($0.values) } == [VideoShape(size: PixelSize(width: 64, height: 64))])
        #expect(bench.player.counters.framesConverted == 2)
    }

    @Test("Equal requirements of all layers cost one conversion, and frames that need none are not counted")
    func conversions() {
        let bench = PlayerTestBench(.silentClip())
        let sinks = (0..<4).map { _ in CapturingVideoSink(clock: bench.driver.clock) }
        let sizes = [(64, 64), (64, 64), (32, 64)].map { PixelSize(width: $0.0, height: $0.1) }
        let layers = sizes.map { PlayerLayer(player: bench.player, size: $0) }
        for (layer, sink) in zip(layers, sinks) { layer.add(sink) }
        layers[0].add(sinks[3])
        bench.load()
        bench.player.play()
        bench.driver.run(seconds: 60)
        for sink in sinks + [bench.videoSink] { #expect(sink.numbers == Array(0..<50)) }
        #expect(bench.player.counters.framesConverted == 2 * 50)
        #expect(bench.layer.counters(of: bench.videoSink)?.framesDelivered == 50)
        #expect(layers[2].counters(of: sinks[2])?.framesDelivered == 50)
        #expect(layers[2].counters(of: sinks[0]) == nil)
        // A layer that is added later gets the same frame that was converted for the others.
        let late = PlayerLayer(player: bench.player, size: sizes[0])
        late.add(CapturingVideoSink(clock: bench.driver.clock))
        bench.driver.settle()
        #expect(bench.player.counters.framesConverted == 2 * 50)
        for layer in layers + [late] { layer.player = nil }
    }
}

/// An object that calls a closure when it is released.
private final class ReleasedObject: Sendable {
    private let onRelease: @Sendable () -> Void

    init(onRelease: @escaping @Sendable () -> Void) { self.onRelease = onRelease }
    deinit { onRelease() }
}

/// A sink that calls a closure when its pixel formats are read, and counts how often it was finished. It may fail at
/// its first frame.
private final class AskedSink: VideoSink {
    private let fails: Bool
    private let onRead: @Sendable (AskedSink) -> Void
    private let finishes = Locked(0)

    init(fails: Bool = false, onRead: @escaping @Sendable (AskedSink) -> Void) {
        self.fails = fails
        self.onRead = onRead
    }

    var finishCount: Int { finishes.withLock { $0 } }
    var acceptedPixelFormats: [PixelFormat] {
        onRead(self)
        return []
    }
    func start(_ format: VideoFormat) {}
    func present(_ frame: VideoFrame) throws {
        if fails { throw MediaError(.sinkFailed, "failure requested by the test") }
    }
    func finish() { finishes.withLock { $0 += 1 } }
}
