import Foundation
import Playhead
import PlayheadFeed
import TestSupport
import Testing

/// The time bases of the frames tell the clips apart: 15360 and 600.
@Suite("Feed: posters of clips that change on their server", .enabled(if: Fixture.areThere))
struct PosterVersionTests {
    /// A server whose clip can be replaced, and a cache of its posters.
    private final class Scene: Sendable {
        private let current: Locked<Int>
        private let server: FaultServer
        let posters = PosterCache()
        let url: URL

        /// - Parameter hasTag: Whether the server sends entity tags. Otherwise it sends dates.
        init(hasTag: Bool) throws {
            let clips = try ["clip-h264-aac.mp4", "vfr.mp4"].map {
                [UInt8](try Data(contentsOf: Fixture.url($0)))
            }
            let current = Locked(0)
            let server = try FaultServer { request in
                let index = current.withLock { $0 }
                var answer = FaultServer.Answer.file(
                    clips[index],
                    for: request,
                    tag: hasTag ? "\"\(index)\"" : nil
                )
                if !hasTag { answer.set("Last-Modified", "Mon, 0\(index + 1) Jan 2024 00:00:00 GMT") }
                return answer
            }
            (self.current, self.server) = (current, server)
            url = try #require(URL(string: server.url("/clip-\(hasTag).mp4")))
        }

        deinit { server.stop() }

        func replaceClip() { current.withLock { $0 = 1 } }

        /// - Parameter sharesBytes: Whether the asset may use bytes that the other ones have received. An asset with other
        ///   options asks the server, although readers of the first representation may not be closed yet.
        func makeAsset(sharesBytes: Bool = true) -> Asset {
            let network = sharesBytes ? NetworkOptions() : NetworkOptions(timeout: .seconds(60))
            return Asset(url: url, options: AssetOptions(network: network))
        }

        /// Shows the poster of an asset, or plays it. Returns the time base of the last frame.
        func show(_ asset: Asset, plays: Bool = false) async -> Int32? {
            var configuration = Player.Configuration()
            configuration.audio = .none
            let feed = FeedPlayer<Int>(
                configuration: configuration,
                posters: posters,
                budget: PlaybackBudget()
            ) { _ in asset }
            let (layer, sink) = (FeedLayer(), RecordingSink())
            let (isShown, continuation) = AsyncStream.makeStream(of: Bool.self)
            // A clip that no longer waits for data has a frame, and the feed knows that it has been opened.
            if plays {
                feed.setChangeHandler { _, changes in continuation.yield(changes.contains(.waiting(0, false)))
                }
            } else {
                layer.setContentHandler { continuation.yield($0 == .poster) }
            }
            layer.add(sink)
            feed.setLayer(layer, for: 0)
            // Without a cell the clip has no player.
            if plays {
                feed.setViewport(FeedViewport(CGRect(x: 0, y: 0, width: 1, height: 1)))
                feed.setCells([FeedCell(0, frame: CGRect(x: 0, y: 0, width: 1, height: 1))])
            }
            for await isShown in isShown where isShown { break }
            return withExtendedLifetime(feed) { sink.rates.last }
        }
    }

    @Test("A clip that was replaced gets a new poster when it has been opened", arguments: [true, false])
    func loaded(hasTag: Bool) async throws {
        let scene = try Scene(hasTag: hasTag)
        #expect(await scene.show(scene.makeAsset()) == 15360)
        scene.replaceClip()
        // Nothing is known about an asset that has not been opened.
        #expect(await scene.show(scene.makeAsset()) == 15360)
        let asset = scene.makeAsset(sharesBytes: false)
        try await asset.load()
        #expect(await scene.show(asset) == 600)
        #expect(await scene.show(scene.makeAsset()) == 600)
        #expect(scene.posters.count == 1)
    }

    @Test("Playing a clip that was replaced removes its old poster")
    func played() async throws {
        let scene = try Scene(hasTag: true)
        #expect(await scene.show(scene.makeAsset()) == 15360)
        #expect(await scene.show(scene.makeAsset(), plays: true) == 15360)
        #expect(scene.posters.count == 1)
        scene.replaceClip()
        #expect(await scene.show(scene.makeAsset(sharesBytes: false), plays: true) == 600)
        #expect(await scene.show(scene.makeAsset(sharesBytes: false)) == 600)
        #expect(scene.posters.count == 1)
    }
}
