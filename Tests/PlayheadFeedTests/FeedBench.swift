import Foundation
import Playhead
import PlayheadFeed
import PlayheadTesting
import TestSupport

/// Looks at each picture that a cell shows: it must be the cell's own clip's. Clips are told apart by their time base.
final class ProbeSink: VideoSink {
    struct Seen {
        var expected: Int32?
        var pictures: [MediaTime] = []
        var strangers = 0
        var starts = 0
        var isOver = false
    }
    let seen = Locked(Seen())

    func start(_ format: VideoFormat) { seen.withLock { $0.starts += 1 } }
    func present(_ frame: VideoFrame) {
        seen.withLock { seen in
            seen.pictures.append(frame.presentationTime)
            if frame.sourceTime.timeBase.denominator != seen.expected { seen.strangers += 1 }
        }
    }
    func finish() { seen.withLock { $0.isOver = true } }
}

/// A feed of numbered clips on a driver that the test moves, with a layer and a probe for each cell.
final class FeedBench {
    /// What a clip is: where it is read from, and the time base that its pictures have.
    struct Clip {
        let makeAsset: @Sendable () -> Asset
        let base: Int32
    }

    let driver: ManualDriver
    let feed: FeedPlayer<Int>
    let posters = PosterCache(limit: 20)
    let budget = PlaybackBudget()
    /// One for each player that was made.
    private let madeDevices = Locked<[SimulatedAudioDevice]>([])
    private(set) var layers: [Int: (layer: FeedLayer, sink: ProbeSink)] = [:]
    private let clips: @Sendable (Int) -> Clip
    private let assets = Locked<[(id: Int, asset: WeakAsset)]>([])
    var viewport = FeedViewport(CGRect(x: 0, y: 0, width: 320, height: 400))
    private(set) var ids: [Int] = []
    let changes = Locked<[FeedChange<Int>]>([])
    let height: Double
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

    /// Scripts whose frame rate tells them apart.
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

    /// nil: the clips are real.
    private(set) var scripted: ScriptedBackend?

    /// How often a scripted clip was opened.
    func openCount(of id: Int) -> Int {
        scripted?.openCount(of: URL(fileURLWithPath: "/clip-\(id)")) ?? 0
    }

    /// Packets of a scripted clip that were read.
    func reads(of id: Int) -> Int {
        scripted?.counts(of: URL(fileURLWithPath: "/clip-\(id)")).reads ?? 0
    }

    /// Real clips, which come again and again under other identities.
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
        ids.enumerated().map { place, id in
            FeedCell(id, frame: CGRect(x: 0, y: Double(place) * height, width: 320, height: height))
        }
    }

    func reload(_ ids: [Int]) {
        self.ids = ids
        feed.setCells(cells)
        layers = layers.filter { ids.contains($0.key) }
        showCells()
    }

    /// As a list does: cells that come into view get a layer, those that leave lose theirs.
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

    func pictures(of id: Int) -> [MediaTime] { layers[id]?.sink.seen.withLock { $0.pictures } ?? [] }
    func content(of id: Int) -> FeedLayer.Content? { layers[id]?.layer.content }
    var strangers: Int { layers.values.reduce(0) { $0 + $1.sink.seen.withLock { $0.strangers } } }

    var devices: [SimulatedAudioDevice] { madeDevices.withLock { $0 } }
    /// Those that were asked to connect, or were given samples.
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

    /// When something was heard of a device, in nanoseconds: the first and the last sample that is not silent, for each
    /// stretch without a millisecond of silence.
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

    /// Nanoseconds during which two devices, or more, were heard at the same time.
    var overlap: Int64 {
        let all = devices.flatMap(Self.audibleSpans).sorted { $0.lowerBound < $1.lowerBound }
        var (end, sum) = (Int64.min, Int64(0))
        for span in all {
            if span.lowerBound < end { sum += min(end, span.upperBound) - span.lowerBound }
            end = max(end, span.upperBound)
        }
        return sum
    }

    /// Clips that play and are heard.
    var sounding: [Int] {
        ids.filter { id in
            guard let player = feed.player(for: id) else { return false }
            return player.timeControlStatus == .playing && !player.isMuted
        }
    }

    var running: [Int] { ids.filter { feed.player(for: $0)?.rate ?? 0 != 0 } }

    /// Identities whose assets are still held by somebody.
    var heldAssets: [Int] {
        assets.withLock { assets in
            assets.removeAll { $0.asset.asset == nil }
            return assets.map(\.id)
        }
    }
}
