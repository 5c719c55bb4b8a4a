import Foundation
import Playhead
import PlayheadFeed
import PlayheadTesting
import TestSupport

/// A sink that verifies that each frame belongs to the clip of its cell. Clips are distinguished by their time bases.
final class ProbeSink: VideoSink {
    struct Seen {
        var expected: Int32?
        var frames: [MediaTime] = []
        var foreignFrames = 0
        var starts = 0
        var isFinished = false
    }
    let seen = Locked(Seen())

    func start(_ format: VideoFormat) { seen.withLock { $0.starts += 1 } }
    func present(_ frame: VideoFrame) {
        seen.withLock { seen in
            seen.frames.append(frame.presentationTime)
            if frame.sourceTime.timeBase.denominator != seen.expected { seen.foreignFrames += 1 }
        }
    }
    func finish() { seen.withLock { $0.isFinished = true } }
}

/// A feed of numbered clips on a driver that the test moves, with a layer and a sink for each cell.
final class FeedBench {
    /// A clip: how its asset is created, and the time base of its frames.
    struct Clip {
        let makeAsset: @Sendable () -> Asset
        let base: Int32
    }

    let driver: ManualDriver
    let feed: FeedPlayer<Int>
    let posters = PosterCache(limit: 20)
    let budget = PlaybackBudget()
    /// The audio devices, one for each player.
    private let madeDevices = Locked<[SimulatedAudioDevice]>([])
    private(set) var layers: [Int: (layer: FeedLayer, sink: ProbeSink)] = [:]
    private let clips: @Sendable (Int) -> Clip
    private let assets = Locked<[(id: Int, asset: WeakAsset)]>([])
    var viewport = FeedViewport(CGRect(x: 0, y: 0, width: 320, height: 400))
    private(set) var ids: [Int] = []
    let changes = Locked<[FeedChange<Int>]>([])
    private(set) var width = 320.0
    private(set) var height: Double
    let settings: FeedSettings

    struct WeakAsset: Sendable {
        weak var asset: Asset?
    }

    init(
        _ driver: ManualDriver = ManualDriver(settlesByItself: true),
        count: Int = 10,
        height: Double = 300,
        settings: FeedSettings = FeedSettings(),
        clips: @escaping @Sendable (Int) -> Clip
    ) {
        self.driver = driver
        self.clips = clips
        self.height = height
        self.settings = settings
        var configuration = Player.Configuration()
        configuration.clock = .driver(driver)
        let clock = driver.clock
        configuration.audio = .sinkForEach { [madeDevices] in
            let device = SimulatedAudioDevice(clock: clock)
            madeDevices.withLock { $0.append(device) }
            return device
        }
        let assets = assets
        feed = FeedPlayer(
            settings: settings,
            configuration: configuration,
            posters: posters,
            budget: budget
        ) { id in
            let asset = clips(id).makeAsset()
            assets.withLock { $0.append((id, WeakAsset(asset: asset))) }
            return asset
        }
        feed.setChangeHandler { [changes] _, new in changes.withLock { $0 += new } }
        feed.setViewport(viewport)
        reload(Array(0..<count))
    }

    /// Creates a feed of scripts, which are distinguished by their frame rates.
    convenience init(
        scripts: Int,
        height: Double = 300,
        settings: FeedSettings = FeedSettings(),
        faults: @escaping @Sendable (Int) -> [ScriptedMedia.Fault] = { _ in [] },
        isLocal: Bool = true,
        hasAudio: Bool = false
    ) {
        let driver = ManualDriver(settlesByItself: true)
        let backend = ScriptedBackend(driver: driver)
        self.init(driver, count: scripts, height: height, settings: settings) { id in
            let rate = Int32(10 + id % 37)
            var media = ScriptedMedia(
                video: .init(frameCount: Int(rate) * 2, frameRate: rate),
                audio: hasAudio ? .init(sampleCount: 96_000) : nil,
                faults: faults(id)
            )
            media.isLocal = isLocal
            let url = URL(fileURLWithPath: "/clip-\(id)")
            let script = media
            return Clip(
                makeAsset: {
                    backend[url] = script
                    return backend.makeAsset(at: url)
                },
                base: rate
            )
        }
        scripted = backend
    }

    /// The backend of the scripts, or nil if the clips are real.
    private(set) var scripted: ScriptedBackend?

    /// Returns the number of times that a scripted clip was opened.
    func openCount(of id: Int) -> Int {
        scripted?.openCount(of: URL(fileURLWithPath: "/clip-\(id)")) ?? 0
    }

    /// Returns the number of packets of a scripted clip that were read.
    func reads(of id: Int) -> Int {
        scripted?.counts(of: URL(fileURLWithPath: "/clip-\(id)")).reads ?? 0
    }

    /// Creates a feed of a few real clips, which are used under many identities.
    convenience init(realClips count: Int, height: Double = 300, settings: FeedSettings = FeedSettings()) {
        let files: [(String, Int32)] = [
            ("clip-h264-aac.mp4", 15360), ("vfr.mp4", 600), ("clip-vp9-opus.webm", 1000),
            ("clip-h264-aac.ts", 90000),
        ]
        self.init(count: count, height: height, settings: settings) { id in
            let (name, base) = files[id % files.count]
            return Clip(makeAsset: { Asset(url: Fixture.url(name)) }, base: base)
        }
    }

    var cells: [FeedCell<Int>] {
        ids.enumerated().map { index, id in
            FeedCell(id, frame: CGRect(x: 0, y: Double(index) * height, width: width, height: height))
        }
    }

    func reload(_ ids: [Int]) {
        self.ids = ids
        feed.setCells(cells)
        layers = layers.filter { ids.contains($0.key) }
        showCells()
    }

    /// Changes cells and viewport in one step, as after an insertion above the viewport or a rotation.
    func setLayout(_ ids: [Int], width: Double, height: Double, viewport: FeedViewport) {
        (self.ids, self.width, self.height, self.viewport) = (ids, width, height, viewport)
        feed.setLayout(cells, viewport: viewport)
        layers = layers.filter { ids.contains($0.key) }
        showCells()
    }

    /// Removes the faults of a scripted clip.
    func repair(_ id: Int) { scripted?[URL(fileURLWithPath: "/clip-\(id)")]?.faults = [] }

    /// Assigns layers to cells that have become visible, and removes those of cells that have left the view, as a list
    /// does.
    func showCells() {
        for cell in cells {
            let isSeen = viewport.share(of: cell.frame) > 0
            if isSeen, layers[cell.id] == nil {
                let sink = ProbeSink()
                sink.seen.withLock { $0.expected = clips(cell.id).base }
                let layer = FeedLayer()
                layer.add(sink)
                layers[cell.id] = (layer, sink)
                feed.setLayer(layer, for: cell.id)
            } else if !isSeen, layers[cell.id] != nil {
                feed.setLayer(nil, for: cell.id)
                layers[cell.id] = nil
            }
        }
    }

    func drag(to y: Double, velocity: Double? = nil) {
        viewport.bounds.origin.y = y
        feed.scroll(to: viewport, velocity: velocity, .dragging)
        showCells()
    }

    func settle(at y: Double) {
        drag(to: y)
        feed.scroll(to: viewport, velocity: 0, .settled)
        driver.run(seconds: 0.31)
    }

    func frames(of id: Int) -> [MediaTime] { layers[id]?.sink.seen.withLock { $0.frames } ?? [] }
    func content(of id: Int) -> FeedLayer.Content? { layers[id]?.layer.content }
    var foreignFrames: Int { layers.values.reduce(0) { $0 + $1.sink.seen.withLock { $0.foreignFrames } } }

    var devices: [SimulatedAudioDevice] { madeDevices.withLock { $0 } }
    /// The devices that were asked to connect or received samples.
    var openDevices: [SimulatedAudioDevice] {
        devices.filter { device in
            device.calls.contains { call in
                switch call {
                case .prepare, .start: true
                default: false
                }
            }
        }
    }

    /// Returns the times in nanoseconds during which a device was audible. A span ends at a millisecond of silence.
    static func audibleSpans(_ device: SimulatedAudioDevice) -> [ClosedRange<Int64>] {
        var spans: [ClosedRange<Int64>] = []
        for run in device.heard {
            for index in run.samples.indices where run.samples[index] != 0 {
                let time = run.time(of: index).nanoseconds
                if let last = spans.last, time - last.upperBound < 1_000_000, time >= last.lowerBound {
                    spans[spans.count - 1] = last.lowerBound...max(last.upperBound, time)
                } else {
                    spans.append(time...time)
                }
            }
        }
        return spans
    }

    /// The nanoseconds during which two or more devices were audible.
    var overlap: Int64 {
        let all = devices.flatMap(Self.audibleSpans).sorted { $0.lowerBound < $1.lowerBound }
        var (end, sum) = (Int64.min, Int64(0))
        for span in all {
            if span.lowerBound < end { sum += min(end, span.upperBound) - span.lowerBound }
            end = max(end, span.upperBound)
        }
        return sum
    }

    /// The clips that play and are not muted.
    var audible: [Int] {
        ids.filter { id in
            guard let player = feed.player(for: id) else { return false }
            return player.timeControlStatus == .playing && !player.isMuted
        }
    }

    var running: [Int] { ids.filter { feed.player(for: $0)?.rate ?? 0 != 0 } }

    /// The identities whose assets are still retained.
    var heldAssets: [Int] {
        assets.withLock { assets in
            assets.removeAll { $0.asset.asset == nil }
            return assets.map(\.id)
        }
    }
}
