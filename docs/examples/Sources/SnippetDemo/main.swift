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

let picture = URL(fileURLWithPath: "thumb.png")

@Sendable func show(_ frame: VideoFrame) {}
@Sendable func use(_ bytes: [UInt8]) {}

func play() -> Player {
    let player = Player(url: clip)
    player.add(CallbackVideoSink { frame in show(frame) })
    player.repeatMode = .loop
    player.play()
    return player
}

func frames() async throws {
    try await Asset(url: clip).image(at: .seconds(1)).write(to: picture)
    let size = PixelSize(width: 224, height: 224)
    for try await frame in Asset(url: clip).frames(.uniform(count: 32), pixelFormat: .rgb24, size: size) {
        use(try frame.packedBytes())
    }
}

func cached() async throws {
    let asset = Asset(url: clip, options: AssetOptions(network: NetworkOptions(cache: .default)))
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
try await frames()
try await cached()
feed()
testOfYourCode()
print("rate", playing.rate)
