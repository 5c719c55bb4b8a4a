// The snippets of README.md, each in a function. Plays a clip for one second and writes thumb.png:
// swift run --package-path docs/examples SnippetDemo clip.mp4

import Foundation
import Playhead
import PlayheadFeed
import PlayheadTesting

guard let path = CommandLine.arguments.dropFirst().first else {
    FileHandle.standardError.write(Data("usage: SnippetDemo FILE\n".utf8))
    exit(64)
}
let clip = URL(fileURLWithPath: path)
let clips = [clip]
let cells = [FeedCell(0, frame: CGRect(x: 0, y: 0, width: 320, height: 180))]
let layer = FeedLayer(size: PixelSize(width: 320, height: 180))

@Sendable func show(_ frame: VideoFrame) {}

func play() -> (Player, PlayerLayer) {
    let player = Player(url: clip)
    let layer = PlayerLayer(player: player)
    layer.add(CallbackVideoSink { frame in show(frame) })
    player.repeatMode = .loop
    player.play()
    return (player, layer)
}

func thumbnail() async throws {
    let generator = ImageGenerator(asset: Asset(url: clip))
    generator.requestedTimeToleranceBefore = .zero
    let (frame, _) = try await generator.image(at: MediaTime(value: 1, timescale: 1))
    try Data(ImageEncoder(.png).encode(frame)).write(to: URL(fileURLWithPath: "thumb.png"))
}

func cached() async throws {
    let cache = DiskCache(directory: URL(fileURLWithPath: "/var/cache/clips"))
    let asset = Asset(url: clip, options: AssetOptions(network: NetworkOptions(cache: cache)))
    try await asset.load()
    print(asset.duration.seconds, asset.tracks.map(\.codec))
}

@MainActor func feed() {
    let feed = FeedPlayer<Int> { id in Asset(url: clips[id]) }
    feed.setCells(cells)
    feed.setLayer(layer, for: 0)
    feed.scroll(to: FeedViewport(CGRect(x: 0, y: 0, width: 320, height: 640)), .settled)
}

func testOfYourCode() {
    let bench = PlayerTestBench(.silentClip())
    bench.load()
    bench.player.play()
    bench.driver.run(seconds: 2)
    precondition(bench.videoSink.numbers == Array(0..<50))
}

let playing = play()
try await thumbnail()
try await cached()
feed()
testOfYourCode()
print("rate", playing.0.rate)
