import Foundation
import Playhead
import PlayheadFeed
import PlayheadTesting
import Testing

/// Tests as an application writes them: this file imports products only, and names the types that it uses.
@Suite("Feed: tests that import only products")
struct ProductImportTests {
    /// A helper for any driver and any backend.
    private func makeConfiguration(_ driver: any Driver, _ backend: any MediaBackend) -> Player.Configuration
    {
        var configuration = Player.Configuration()
        configuration.clock = .driver(driver)
        configuration.audio = .none
        configuration.backend = backend
        return configuration
    }

    @Test("A feed plays scripts on a driver, and the same backend makes its posters")
    func feed() throws {
        let driver: ManualDriver = ManualDriver(settlesByItself: true)
        let clock: any HostClock = driver.clock
        let urls = (0..<2).map { URL(fileURLWithPath: "/clip-\($0)") }
        let scripts: [URL: ScriptedMedia] = [urls[0]: .silentClip(), urls[1]: .silentClip()]
        let backend: ScriptedBackend = ScriptedBackend(scripts: scripts, driver: driver)
        let feed = FeedPlayer<Int>(
            configuration: makeConfiguration(driver, backend),
            posters: PosterCache(),
            budget: PlaybackBudget()
        ) { Asset(url: urls[$0]) }
        let layers = (0..<2).map { _ in FeedLayer() }
        let sinks = (0..<2).map { _ in CapturingVideoSink(clock: clock) }
        for id in 0..<2 {
            layers[id].add(sinks[id])
            feed.setLayer(layers[id], for: id)
        }
        driver.run(seconds: 0.1)
        // No cell is listed, so these are posters.
        #expect(layers.map(\.content) == [.poster, .poster])
        feed.setViewport(FeedViewport(CGRect(x: 0, y: 0, width: 320, height: 180)))
        feed.setCells([FeedCell(0, frame: CGRect(x: 0, y: 0, width: 320, height: 180))])
        driver.run(seconds: 1)
        #expect(layers[0].content == .video && sinks[0].frames.count > 20)
    }

    @Test("Work runs on a lane of the driver, at the times of its clock")
    func lanes() {
        let driver = ManualDriver()
        let role: LaneRole = .blockingIO
        let lane: any Lane = driver.makeLane(role, label: "server")
        let sink = CapturingVideoSink(clock: driver.clock)
        let wakeup: any Wakeup = driver.schedule(at: .ms(500), on: lane) { sink.finish() }
        lane.enqueue { sink.flush() }
        driver.run(seconds: 0.4)
        #expect(sink.calls == [.flush])
        driver.run(seconds: 0.1)
        #expect(sink.calls == [.flush, .finish])
        withExtendedLifetime(wakeup) {}
    }

    /// `Decoder` is Swift's own protocol.
    private struct Post: Decodable {
        let id: Int
        init(from decoder: any Decoder) throws { id = try decoder.singleValueContainer().decode(Int.self) }
    }

    @Test("The names of Swift's own protocols are not hidden")
    func decoding() throws {
        #expect(try JSONDecoder().decode(Post.self, from: Data("7".utf8)).id == 7)
    }
}
