import Playhead
import PlayheadFeed
import PlayheadTesting
import Testing

@Suite("Feed: sinks that block")
struct BlockingSinkTests {
    @Test("A sink that blocks delays the posters of its own layer, and of no other layer")
    func posters() {
        let driver = BlockingDriver()
        let backend = ScriptedBackend(.silentClip(), driver: driver)
        let url = backend.add()
        var configuration = Player.Configuration()
        configuration.clock = .driver(driver)
        configuration.audio = .none
        configuration.backend = backend
        let feed = FeedPlayer<Int>(
            configuration: configuration,
            posters: PosterCache(),
            budget: PlaybackBudget()
        ) { _ in Asset(url: url) }
        let size = PixelSize(width: 64, height: 48)
        let layers = [FeedLayer(size: size), FeedLayer(size: size)]
        let (blocked, other) = (BlockingSink(driver), RecordingSink())
        layers[0].add(blocked)
        layers[1].add(other)
        // Without cells the clips have no players.
        feed.setLayer(layers[0], for: 0)
        driver.inner.run(seconds: 0.2)
        #expect(blocked.frameCount == 1)
        feed.setLayer(layers[1], for: 1)
        layers[0].size = PixelSize(width: 32, height: 24)
        driver.inner.run(seconds: 0.2)
        #expect(other.sizes == [size] && blocked.frameCount == 1)
        driver.release()
        driver.inner.run(seconds: 0.2)
        #expect(blocked.frameCount == 2 && feed.playerCount == 0)
    }
}

/// A sink that blocks in its first frame.
private final class BlockingSink: VideoSink {
    private let driver: BlockingDriver
    private let frames = Locked(0)

    init(_ driver: BlockingDriver) { self.driver = driver }

    var frameCount: Int { frames.withLock { $0 } }

    func start(_ format: VideoFormat) {}
    func present(_ frame: VideoFrame) {
        frames.withLock { $0 += 1 }
        if frameCount == 1 { driver.block() }
    }
    func finish() {}
}
