import Playhead
import PlayheadTesting
import TestSupport
import Testing

// Rule: one-order
@Suite("Contract: the readiness for display of a layer whose player changes")
struct LayerReadinessTests {
    @Test(
        "A layer that gets another player is ready for display when its sinks have the frame of that player",
        arguments: [false, true]
    )
    func anotherPlayer(isByNil: Bool) {
        let (first, second) = (PlayerTestBench(.silentClip()), PlayerTestBench(.silentClip()))
        for bench in [first, second] { bench.load() }
        second.player.seek(to: .ms(400), toleranceBefore: .zero, toleranceAfter: .zero)
        second.driver.settle()
        let (layer, sink) = (first.layer, first.videoSink)
        let log = Locked([String]())
        let token = layer.observe(\.isReadyForDisplay, options: .new) { _, change in
            log.withLock { $0.append("\(change.newValue ?? false) at frame \(sink.numbers.last ?? -1)") }
        }
        #expect(layer.isReadyForDisplay)
        if isByNil { layer.player = nil }
        layer.player = second.player
        #expect(!layer.isReadyForDisplay)
        // The sinks wait for the last frame of the first player.
        second.driver.settle()
        #expect(!layer.isReadyForDisplay && log.withLock { $0 } == ["false at frame 0"])
        first.driver.settle()
        second.driver.settle()
        #expect(layer.isReadyForDisplay)
        #expect(log.withLock { $0 } == ["false at frame 0", "true at frame 10"])
        token.invalidate()
    }

    @Test("A layer that gets the same player again is ready for display again")
    func samePlayer() {
        let bench = PlayerTestBench(.silentClip())
        bench.load()
        let log = Locked([Bool]())
        let token = bench.layer.observe(\.isReadyForDisplay, options: .new) { _, change in
            log.withLock { $0.append(change.newValue ?? false) }
        }
        bench.layer.player = nil
        bench.layer.player = bench.player
        while !bench.layer.isReadyForDisplay, bench.driver.step() {}
        // A reader need not wait for the callback queue, nor need one that is registered now.
        #expect(bench.layer.isReadyForDisplay && log.withLock { $0 } == [false])
        let late = Locked([Bool]())
        let lateToken = bench.layer.observe(\.isReadyForDisplay, options: [.initial, .new]) { _, change in
            late.withLock { $0.append(change.newValue ?? false) }
        }
        bench.driver.settle()
        #expect(log.withLock { $0 } == [false, true] && late.withLock { $0 } == [true])
        for token in [token, lateToken] { token.invalidate() }
    }

    @Test(
        "Observers know whether a layer is ready for display, however players and items change",
        arguments: (0..<200 as Range<UInt64>).samples
    )
    func walk(seed: UInt64) {
        var random = SplitMix64(seed)
        let benches = (0..<2).map { _ in PlayerTestBench(.silentClip(), seed: seed) }
        let sink = CapturingVideoSink(clock: benches[0].driver.clock)
        let layer = PlayerLayer()
        layer.add(sink)
        let log = Locked([Bool]())
        let token = layer.observe(\.isReadyForDisplay, options: [.initial, .new]) { _, change in
            log.withLock { $0.append(change.newValue ?? false) }
        }
        let changeCount = 40
        for _ in 0..<changeCount {
            let bench = benches[Int.random(in: 0..<2, using: &random)]
            switch Int.random(in: 0..<6, using: &random) {
            case 0: layer.player = nil
            case 1: layer.player = bench.player
            case 2: bench.player.replaceCurrentItem(with: bench.makeItem())
            case 3: bench.player.replaceCurrentItem(with: nil)
            default: for _ in 0..<Int.random(in: 0..<30, using: &random) { _ = bench.driver.step() }
            }
        }
        // The sink waits for the last frame of each player that the layer had, one after another.
        for _ in 0..<changeCount { for bench in benches { bench.driver.settle() } }
        let values = log.withLock { $0 }
        #expect(layer.isReadyForDisplay == (layer.player?.currentItem != nil))
        #expect(values.first == false && zip(values, values.dropFirst()).allSatisfy(!=))
        #expect(values.last == layer.isReadyForDisplay)
        token.invalidate()
        layer.player = nil
        for bench in benches { bench.driver.settle() }
    }
}
