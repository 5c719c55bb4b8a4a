// The snippets of the documentation comments in Sources, each in a function. They are compiled, and not run.

import Foundation
import Playhead
import PlayheadFeed
import PlayheadPicker
import PlayheadTesting
import TerminalSink
import WindowSink

// MARK: Assets

func asset(of bytes: [UInt8]) -> Asset {
    let source = DataByteSource(bytes, name: "clip.mp4")
    let asset = Asset(url: source.url, options: AssetOptions(byteSource: source))
    return asset
}

/// What an application downloads by itself.
protocol PieceLoader: Sendable {
    func start(
        _ offset: Int64,
        _ end: Int64?,
        _ piece: @escaping @Sendable (Data) -> Void,
        completion: @escaping @Sendable () -> Void
    )
    func stop(_ offset: Int64)
}

func asset(of download: any PieceLoader, size: Int64, url: URL) -> Asset {
    let source = PushedByteSource(name: "clip.mp4", byteCount: size) { request in
        download.start(request.offset, request.end) { piece in
            piece.withUnsafeBytes { request.receive($0) }
        } completion: {
            request.finish()
        }
    } onCancel: { request in
        download.stop(request.offset)
    }
    let asset = Asset(url: url, options: AssetOptions(byteSource: source))
    return asset
}

func properties(of asset: Asset) async throws -> (MediaTime, [Track]) {
    let (duration, tracks) = try await asset.load(.duration, .tracks)
    return (duration, tracks)
}

func times(of asset: Asset) async throws {
    let size = PixelSize(width: 224, height: 224)
    for try await frame in asset.frames(.uniform(count: 32), pixelFormat: .rgb24, size: size) {
        print(frame.presentationTime)
    }
}

func cachedConfiguration() -> Player.Configuration {
    var configuration = Player.Configuration()
    configuration.network.cache = .default
    return configuration
}

// MARK: Players

func printEnds(of item: PlayerItem) async {
    let ends = NotificationCenter.default.notifications(named: PlayerItem.didPlayToEndTime, object: item)
    for await _ in ends { print("played to its end") }
}

func startLater(_ player: Player) {
    player.setRate(1, time: .zero, atHostTime: (player.hostTime + .milliseconds(500)).mediaTime)
}

func startTogether(_ urls: [URL]) -> [Player] {
    let clock = VirtualClock()
    let players = clock.hold {
        let players = urls.map { Player(url: $0, configuration: .offline(clock: clock)) }
        for player in players { player.play() }
        return players
    }
    return players
}

func limited(_ player: Player) -> PlaybackBudget.Membership {
    PlaybackBudget.shared.limits.openPlayers = 16
    let membership = PlaybackBudget.shared.join(player)
    return membership
}

func play(_ next: Asset, then afterNext: Asset, with player: Player) -> Preloader {
    let preloader = Preloader()
    preloader.preload(next, to: .firstFrame(loading: .seconds(2)), rank: 0)
    preloader.preload(afterNext, to: .probed, rank: 1)
    player.replaceCurrentItem(with: PlayerItem(asset: next))  // continues where the preloader stopped
    return preloader
}

func script(_ one: URL, _ two: URL, driver: ManualDriver) -> Player {
    let backend = ScriptedBackend(scripts: [one: .clip(), two: .silentClip()], driver: driver)
    let player = Player(configuration: Player.Configuration(driver: driver, backend: backend))
    player.replaceCurrentItem(with: PlayerItem(url: two))
    return player
}

// MARK: Layers and sinks

func wall(of players: [Player], in areas: [PixelRect]) -> CompositeSink {
    let wall = CompositeSink(size: PixelSize(width: 1280, height: 720))
    wall.add(WindowSink(title: "wall"))
    for (player, area) in zip(players, areas) {
        player.add(wall.makeRegion(area), size: area.size)
    }
    return wall
}

func terminalLayer(_ player: Player) throws -> PlayerLayer {
    let sink = try TerminalSink()
    let layer = PlayerLayer(player: player, size: sink.layerSize)
    sink.setSizeHandler { [weak layer] in layer?.size = $0 }
    layer.add(sink)
    return layer
}

func windowLayer(_ player: Player) -> PlayerLayer {
    let window = WindowSink(title: "film.mp4")
    let layer = PlayerLayer(player: player)
    window.setEventHandler { event in
        if case .resized(let size) = event { layer.size = size }
    }
    layer.add(window)
    return layer
}

// MARK: Feeds and pickers

struct ScrollView {
    let bounds: CGRect
}

func list(_ posts: [Post], in scrollView: ScrollView, _ post: Post, _ cell: PostCell) -> FeedPlayer<Post.ID> {
    let viewport = FeedViewport(scrollView.bounds)

    let feed = FeedPlayer<Post.ID> { id in Asset(url: posts[id].url) }
    feed.setViewport(FeedViewport(scrollView.bounds))
    feed.setCells(posts.map { FeedCell($0.id, frame: $0.frame) })
    feed.setLayer(cell.layer, for: post.id)  // the layer in which a cell shows its clip
    feed.scroll(to: viewport, velocity: 900, .dragging)

    return feed
}

struct Story {
    let coverURL: URL
}

func cover(of story: Story, into sink: any VideoSink) -> VideoView {
    let cover = VideoView(size: PixelSize(width: 360, height: 640))
    cover.add(sink)
    cover.url = story.coverURL
    return cover
}

func choose(in folder: URL, _ play: (URL) -> Void) async throws {
    var picker = MediaPicker(try await MediaFile.files(in: folder))
    picker.rowCount = 20
    if case .chosen(let file) = picker.handle(.enter) { play(file.url) }
}
