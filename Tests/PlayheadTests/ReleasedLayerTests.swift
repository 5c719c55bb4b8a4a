import Logging
import Playhead
import PlayheadTesting
import Testing

@Suite("A layer that is released by mistake")
struct ReleasedLayerTests {
    /// Records the warnings of a player.
    private struct Warnings: LogHandler {
        let messages = Locked([String]())
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.warning

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { messages.withLock { $0.append("\(event.message)") } }

        var count: Int { messages.withLock { $0 }.filter { $0.contains("layer") }.count }
    }

    private func makeBench() -> (PlayerTestBench<Player>, Warnings) {
        let warnings = Warnings()
        let bench = PlayerTestBench(.silentClip()) { $0.logger = Logger(label: "test") { _ in warnings } }
        return (bench, warnings)
    }

    private func addAndRelease(_ bench: PlayerTestBench<Player>) {
        PlayerLayer(player: bench.player).add(CapturingVideoSink(clock: bench.driver.clock))
    }

    @Test("A layer without a name is reported once, before and after the item is set, and while playing")
    func dropped() {
        let (bench, warnings) = makeBench()
        addAndRelease(bench)
        bench.load()
        #expect(warnings.count == 1)
        bench.player.play()
        addAndRelease(bench)
        bench.driver.run(seconds: 1)
        #expect(warnings.count == 2)
    }

    @Test(
        "A layer that is released while the player plays is reported; one that has shown frames of a paused player is not"
    )
    func released() {
        for isPlaying in [false, true] {
            let (bench, warnings) = makeBench()
            do {
                let layer = PlayerLayer(player: bench.player)
                layer.add(CapturingVideoSink(clock: bench.driver.clock))
                bench.load()
                if isPlaying { bench.player.play() }
                bench.driver.run(seconds: 0.5)
                withExtendedLifetime(layer) {}
            }
            bench.driver.run(seconds: 0.5)
            #expect(warnings.count == (isPlaying ? 1 : 0))
        }
    }

    @Test(
        "Nothing is reported of layers without sinks or that the player owns, and of a player that is released too"
    )
    func intended() {
        let (bench, warnings) = makeBench()
        _ = PlayerLayer(player: bench.player)
        bench.player.add(CapturingVideoSink(clock: bench.driver.clock))
        bench.load()
        bench.player.play()
        bench.driver.run(seconds: 0.5)
        let other = makeBench()
        do {
            let equipment = other.0
            var configuration = Player.Configuration(driver: equipment.driver, backend: equipment.backend)
            configuration.logger = Logger(label: "test") { _ in other.1 }
            let player = Player(configuration: configuration)
            let layer = PlayerLayer(player: player)
            layer.add(CapturingVideoSink(clock: equipment.driver.clock))
            player.replaceCurrentItem(with: equipment.makeItem())
            player.play()
            equipment.driver.run(seconds: 0.5)
            withExtendedLifetime((player, layer)) {}
        }
        other.0.driver.run(seconds: 1)
        bench.driver.run(seconds: 1)
        #expect(warnings.count == 0 && other.1.count == 0)
    }
}
