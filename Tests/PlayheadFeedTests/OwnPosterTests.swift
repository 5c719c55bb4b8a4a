import Foundation
import Playhead
import PlayheadTesting
import TestSupport
import Testing

@testable import PlayheadFeed

/// The frame rates of the scripts tell clips (25) and thumbnails (10, 11, ...) apart.
@Suite("Feed: posters of the application")
struct OwnPosterTests {
    private static let size = PixelSize(width: 64, height: 48)

    /// A feed of three clips of which the first one plays, and nothing is preloaded: the others show their posters.
    private final class Scene {
        let driver = ManualDriver(settlesByItself: true)
        let backend: ScriptedBackend
        let feed: FeedPlayer<Int>
        let clips: [URL]
        let thumbnails: [URL]

        init(_ faults: [ScriptedMedia.Fault] = []) {
            let backend = ScriptedBackend(.silentClip(), driver: driver)
            self.backend = backend
            let clips = (0..<3).map { _ in backend.add() }
            self.clips = clips
            thumbnails = (0..<3).map {
                backend.add(
                    ScriptedMedia(video: .init(frameCount: 1, frameRate: Int32(10 + $0)), faults: faults)
                )
            }
            var settings = FeedSettings()
            settings.readyCount = 0
            feed = FeedPlayer(
                settings: settings,
                configuration: Player.Configuration(driver: driver, backend: backend),
                posters: PosterCache(),
                budget: PlaybackBudget()
            ) { Asset(url: clips[$0]) }
        }

        func list() {
            feed.setViewport(FeedViewport(CGRect(x: 0, y: 0, width: 100, height: 250)))
            feed.setCells(
                (0..<3).map { FeedCell($0, frame: CGRect(x: 0, y: $0 * 100, width: 100, height: 100)) }
            )
        }

        func useThumbnails() {
            feed.setPosterHandler { [thumbnails] id in .asset(Asset(url: thumbnails[id])) }
        }

        func makeLayer() -> (FeedLayer, RecordingSink) {
            let (layer, sink) = (FeedLayer(size: OwnPosterTests.size), RecordingSink())
            layer.add(sink)
            return (layer, sink)
        }
    }

    /// All orders of five steps.
    private static let callOrders: [[Int]] = {
        var orders: [[Int]] = [[]]
        for step in 0..<5 {
            orders = orders.flatMap { order in
                (0...order.count).map { order.prefix($0) + [step] + order.dropFirst($0) }
            }
        }
        return orders
    }()

    @Test(
        "A thumbnail is shown in the layer's size for each order of setting sink, size, layer, cells and handler"
    )
    func everyOrder() {
        for order in Self.callOrders.samples {
            let scene = Scene()
            let (layer, sink) = (FeedLayer(size: .zero), RecordingSink())
            for step in order {
                switch step {
                case 0: layer.add(sink)
                case 1: layer.size = Self.size
                case 2: scene.feed.setLayer(layer, for: 1)
                case 3: scene.list()
                default: scene.useThumbnails()
                }
                scene.driver.run(seconds: 0.01)
            }
            scene.driver.run(seconds: 0.5)
            #expect(layer.content == .poster && sink.sizes.last == Self.size, "\(order)")
            #expect(sink.rates.last == 11, "\(order): \(sink.rates)")
            // Without a handler the first frame of the clip is shown, and only then.
            let isLast = order.last == 4
            #expect(isLast ? sink.rates == [25, 11] : sink.rates.count <= 2, "\(order): \(sink.rates)")
        }
    }

    @Test("A sink may use its layer while its formats are read for a poster")
    func sinkUsesLayer() {
        let scene = Scene()
        let layer = FeedLayer(size: Self.size)
        layer.add(AskingSink { [weak layer] in layer?.size })
        scene.feed.setLayer(layer, for: 1)
        scene.list()
        scene.driver.run(seconds: 0.5)
        #expect(layer.content == .poster)
    }

    @Test(
        "Without a poster a layer shows nothing until its clip has a frame, and the clip is not opened for one"
    )
    func none() {
        let scene = Scene()
        scene.feed.setPosterHandler { _ in .none }
        let layers = (0..<2).map { _ in scene.makeLayer() }
        for (id, (layer, _)) in layers.enumerated() { scene.feed.setLayer(layer, for: id) }
        scene.list()
        scene.driver.run(seconds: 0.5)
        #expect(layers.map(\.0.content) == [.video, .nothing])
        #expect(
            layers[1].1.frames.withLock { $0.isEmpty } && scene.backend.openCount(of: scene.clips[1]) == 0
        )
        scene.feed.setPosterHandler(nil)
        scene.driver.run(seconds: 0.5)
        #expect(layers[1].0.content == .poster && layers[1].1.rates == [25])
    }

    @Test(
        "A thumbnail that cannot be loaded is replaced by the first frame of the clip",
        arguments: [.openFails(.notFound), .lost(fromPacket: 0), .undecodable(frame: 0)]
            as [ScriptedMedia.Fault]
    )
    func fallback(fault: ScriptedMedia.Fault) {
        let scene = Scene([fault])
        scene.useThumbnails()
        let (layer, sink) = scene.makeLayer()
        scene.feed.setLayer(layer, for: 1)
        scene.list()
        scene.driver.run(seconds: 0.5)
        #expect(layer.content == .poster && sink.rates == [25])
        // The poster of another size falls back too.
        layer.size = PixelSize(width: 32, height: 24)
        scene.driver.run(seconds: 0.5)
        #expect(sink.rates == [25, 25] && sink.sizes.last?.width == 32)
    }

    @Test(
        "A clip that plays is not interrupted by a new handler, and the next clip of its layer has the new poster"
    )
    func playing() {
        let scene = Scene()
        let (layer, sink) = scene.makeLayer()
        scene.feed.setLayer(layer, for: 0)
        scene.list()
        scene.driver.run(seconds: 0.5)
        let calls = sink.calls.withLock { $0.count }
        scene.useThumbnails()
        scene.driver.run(seconds: 0.2)
        #expect(layer.content == .video && sink.calls.withLock { !$0.dropFirst(calls).contains("flush") })
        #expect(Set(sink.rates).isSubset(of: [25]))
        // The cell is reused for another clip.
        scene.feed.setLayer(layer, for: 2)
        scene.driver.run(seconds: 0.2)
        #expect(layer.content == .poster && sink.rates.last == 12)
        #expect(sink.calls.withLock { $0.suffix(2) } == ["flush", "present"])
    }

    @Test("A layer that is reused while its thumbnail is loaded shows only that of its new clip")
    func reused() {
        let scene = Scene([.stall(atPacket: 0, until: 1)])
        scene.useThumbnails()
        let (layer, sink) = scene.makeLayer()
        scene.list()
        scene.feed.setLayer(layer, for: 1)
        scene.driver.run(seconds: 0.2)
        scene.feed.setLayer(layer, for: 2)
        scene.driver.run(seconds: 2)
        #expect(layer.content == .poster && sink.rates == [12])
    }

    @Test("A retried clip keeps its poster, and a reloaded one gets the poster that the handler returns then")
    func retryAndReload() {
        let scene = Scene()
        scene.backend[scene.clips[0]]?.faults = [.openFails(.notFound)]
        let index = Locked(1)
        scene.feed.setPosterHandler { [thumbnails = scene.thumbnails] _ in
            .asset(Asset(url: thumbnails[index.withLock { $0 }]))
        }
        let (layer, sink) = scene.makeLayer()
        scene.feed.setLayer(layer, for: 0)
        scene.list()
        scene.driver.run(seconds: 0.5)
        #expect(scene.feed.error(of: 0) != nil && layer.content == .poster && sink.rates == [11])
        scene.feed.retry(0)
        scene.driver.run(seconds: 0.5)
        #expect(layer.content == .poster && sink.rates == [11])
        index.withLock { $0 = 2 }
        scene.feed.reload(0)
        scene.driver.run(seconds: 0.5)
        #expect(layer.content == .poster && sink.rates == [11, 12])
        scene.backend[scene.clips[0]]?.faults = []
        scene.feed.retry(0)
        scene.driver.run(seconds: 0.5)
        #expect(layer.content == .video && sink.rates.prefix(3) == [11, 12, 25])
    }

    @Test("Thumbnails do not wait for the clips that play, and the first frames of network clips do")
    func remote() throws {
        let driver = ManualDriver(settlesByItself: true)
        let backend = ScriptedBackend(.silentClip([.stall(atPacket: 0, until: 2)]), driver: driver)
        let thumbnail = try #require(URL(string: "http://server.test/thumbnail.jpg"))
        let missing = try #require(URL(string: "http://server.test/missing.jpg"))
        backend[thumbnail] = ScriptedMedia(video: .init(frameCount: 1, frameRate: 10))
        backend[missing] = ScriptedMedia(faults: [.openFails(.notFound)])
        let feed = FeedPlayer<Int>(
            configuration: Player.Configuration(driver: driver, backend: backend),
            posters: PosterCache(),
            budget: PlaybackBudget()
        ) { id in URL(string: "http://server.test/\(id).mp4").map { Asset(url: $0) } }
        feed.setPosterHandler { id in .asset(Asset(url: id == 0 ? thumbnail : missing)) }
        feed.setViewport(FeedViewport(CGRect(x: 0, y: 0, width: 100, height: 150)))
        feed.setCells((0..<2).map { FeedCell($0, frame: CGRect(x: 0, y: $0 * 100, width: 100, height: 100)) })
        let layers = (0..<2).map { _ in (FeedLayer(size: Self.size), RecordingSink()) }
        for (id, (layer, sink)) in layers.enumerated() {
            layer.add(sink)
            feed.setLayer(layer, for: id)
        }
        driver.run(seconds: 1)
        #expect(layers.map(\.0.content) == [.poster, .nothing] && layers[0].1.rates == [10])
        driver.run(seconds: 2)
        #expect(layers[0].0.content == .video && layers[1].0.content != .nothing)
        #expect(layers[1].1.rates.allSatisfy { $0 == 25 })
    }

    @Test("A frame of the application is fitted into the layer", .enabled(if: Fixture.areThere))
    func frame() throws {
        let driver = ManualDriver(settlesByItself: true)
        var configuration = Player.Configuration()
        configuration.clock = .driver(driver)
        let feed = FeedPlayer<Int>(
            configuration: configuration,
            posters: PosterCache(),
            budget: PlaybackBudget()
        ) { _ in Asset(url: Fixture.url("clip-h264-aac.mp4")) }
        let (layer, sink) = (FeedLayer(size: PixelSize(width: 20, height: 40)), RecordingSink([.rgba]))
        layer.backgroundColor = Color(red: 0, green: 0, blue: 1)
        let green = Self.frame(.rgba, [0, 255, 0, 255])
        feed.setPosterHandler { id in
            id == 0 ? .frame(green) : .frame(Self.frame(.init(rawValue: "none"), [0]))
        }
        // Without a cell the clip has no player.
        feed.setLayer(layer, for: 0)
        layer.add(sink)
        driver.run(seconds: 0.5)
        let poster = try #require(sink.frames.withLock { $0.last })
        #expect(layer.content == .poster && poster.size == PixelSize(width: 20, height: 40))
        #expect(
            Self.color(of: poster, row: 20) == [0, 255, 0, 255]
                && Self.color(of: poster, row: 0) == [0, 0, 255, 255]
        )
        #expect(sink.frames.withLock { $0.count } == 1)
        layer.size = PixelSize(width: 10, height: 10)
        driver.run(seconds: 0.5)
        #expect(sink.sizes.last == PixelSize(width: 10, height: 10) && sink.sizes.count == 2)
        // A frame that cannot be converted is replaced by the first frame of the clip.
        feed.setLayer(layer, for: 1)
        driver.run(seconds: 0.5)
        #expect(layer.content == .poster && sink.rates.last == 15360)
    }

    @Test(
        "A poster with alpha keeps it if the sink accepts a format with alpha",
        .enabled(if: Fixture.areThere)
    )
    func alpha() throws {
        let driver = ManualDriver(settlesByItself: true)
        var configuration = Player.Configuration()
        configuration.clock = .driver(driver)
        let feed = FeedPlayer<Int>(
            configuration: configuration,
            posters: PosterCache(),
            budget: PlaybackBudget()
        ) { _ in Asset(url: Fixture.url("clip-h264-aac.mp4")) }
        let opaque = Self.frame(.rgb24, [0, 255, 0])
        let translucent = Self.frame(.rgba, [0, 255, 0, 128])
        feed.setPosterHandler { id in .frame(id == 0 ? opaque : translucent) }
        // The formats of an image file sink for PNG.
        let (layer, sink) = (FeedLayer(), RecordingSink([.rgb24, .rgba, .gray]))
        layer.add(sink)
        for id in 0...1 {
            feed.setLayer(layer, for: id)
            driver.run(seconds: 0.5)
        }
        let posters = sink.frames.withLock { $0 }
        #expect(posters.map(\.pixelFormat) == [.rgb24, .rgba])
        #expect(posters.map { Self.color(of: $0, row: 0) } == [[0, 255, 0], [0, 255, 0, 128]])
    }

    @Test(
        "A picture file serves as a thumbnail, also on a picture page of a carousel",
        arguments: [ImageFileFormat.png, .jpeg]
    )
    func pictureFile(format: ImageFileFormat) throws {
        let folder = try TemporaryFolder()
        let picture = folder.file("picture.\(format)")
        try Data(ImageEncoder(format).encode(Self.frame(.rgb24, [200, 30, 30]))).write(to: picture)
        let driver = ManualDriver(settlesByItself: true)
        var configuration = Player.Configuration()
        configuration.clock = .driver(driver)
        let carousel = CarouselPlayer(
            pages: [.picture(seconds: 100), .clip],
            configuration: configuration,
            posters: PosterCache(),
            budget: PlaybackBudget()
        ) { _ in nil }
        let (layer, sink) = (FeedLayer(size: PixelSize(width: 16, height: 16)), RecordingSink([.rgb24]))
        layer.add(sink)
        carousel.feed.setLayer(layer, for: 0)
        driver.run(seconds: 0.1)
        #expect(layer.content == .nothing)
        carousel.feed.setPosterHandler { $0 == 0 ? .asset(Asset(url: picture)) : .none }
        driver.run(seconds: 0.1)
        let poster = try #require(sink.frames.withLock { $0.last })
        let color = Self.color(of: poster, row: 8).prefix(3)
        #expect(
            layer.content == .poster && zip(color, [200, 30, 30]).allSatisfy { abs(Int($0) - $1) < 12 },
            "\(color)"
        )
    }

    @Test("A view shows its poster until the first frame, and takes a new one at any time")
    func view() {
        let scene = Scene()
        let view = VideoView(
            size: Self.size,
            configuration: Player.Configuration(driver: scene.driver, backend: scene.backend),
            posters: PosterCache(),
            budget: PlaybackBudget()
        )
        let sink = RecordingSink()
        view.add(sink)
        scene.backend[scene.clips[0]]?.faults = [.stall(atPacket: 0, until: 1)]
        view.poster = .asset(Asset(url: scene.thumbnails[0]))
        view.url = scene.clips[0]
        scene.driver.run(seconds: 0.2)
        #expect(view.content == .poster && sink.rates == [10])
        view.poster = .asset(Asset(url: scene.thumbnails[1]))
        scene.driver.run(seconds: 0.2)
        #expect(view.content == .poster && sink.rates == [10, 11])
        view.poster = .none
        scene.driver.run(seconds: 0.2)
        #expect(view.content == .nothing && sink.rates == [10, 11])
        scene.driver.run(seconds: 1)
        #expect(view.content == .video && view.player?.rate == 1)
        // The poster of the view applies to later clips too.
        view.poster = .asset(Asset(url: scene.thumbnails[2]))
        #expect(view.content == .video)
        scene.backend[scene.clips[1]]?.faults = [.stall(atPacket: 0, until: 10)]
        view.url = scene.clips[1]
        scene.driver.run(seconds: 0.2)
        #expect(view.content == .poster && sink.rates.last == 12)
        view.poster = .firstFrame
        scene.driver.run(seconds: 10)
        #expect(view.content == .video && sink.rates.last == 25)
    }

    @Test("A sink is flushed before it receives a clip, also if the clip arrives before its layer is flushed")
    func flushedFirst() throws {
        let layer = FeedLayer()
        let sink = RecordingSink()
        layer.add(sink)
        let shape = try #require(layer.posterShape)
        for _ in 0..<2 {
            let clip = try #require(layer.begin())
            layer.show(Self.frame(.bgra, [1, 2, 3, 255]), shape, for: clip)
            layer.flush(clip)
        }
        #expect(sink.calls.withLock { $0 } == ["flush", "start 4x4", "present", "flush", "present"])
    }

    /// A frame of 4x4 pixels of one color.
    private static func frame(_ pixelFormat: PixelFormat, _ color: [UInt8]) -> VideoFrame {
        let row = 4 * color.count
        return VideoFrame.still(
            VideoFormat(pixelFormat: pixelFormat, size: PixelSize(width: 4, height: 4)),
            ByteFrameStorage(
                (0..<16).flatMap { _ in color },
                [.init(offset: 0, bytesPerRow: row, bytesUsedPerRow: row, rowCount: 4)]
            )
        )
    }

    private static func color(of frame: VideoFrame, row: Int) -> [UInt8] {
        frame.withPlanes { planes in
            let count = planes[0].bytesUsedPerRow / frame.size.width
            let start = row * planes[0].bytesPerRow
            return (start..<start + count).map {
                planes[0].baseAddress.load(fromByteOffset: $0, as: UInt8.self)
            }
        }
    }
}

/// A sink that calls a closure when its pixel formats are read.
private final class AskingSink: VideoSink {
    private let onRead: @Sendable () -> PixelSize?

    init(onRead: @escaping @Sendable () -> PixelSize?) { self.onRead = onRead }

    var acceptedPixelFormats: [PixelFormat] { onRead() == nil ? [.bgra] : [] }
    func start(_ format: VideoFormat) {}
    func present(_ frame: VideoFrame) {}
    func finish() {}
}
