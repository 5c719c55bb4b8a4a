// The recipes of docs/cookbook.md.

import Foundation
import Playhead
import PlayheadFeed

func loopMuted(_ url: URL, into sink: any VideoSink) -> Player {
    let player = Player(url: url)
    player.add(sink)
    player.isMuted = true
    player.repeatMode = .loop
    player.play()
    return player
}

func thumbnail(of url: URL, at seconds: Double, to png: URL) async throws {
    try await Asset(url: url).image(at: .seconds(seconds)).write(to: png)
}

func everyFrame(of url: URL, _ use: ([UInt8]) async throws -> Void) async throws {
    let size = PixelSize(width: 224, height: 224)
    for try await frame in Asset(url: url).frames(pixelFormat: .rgb24, size: size) {
        try await use(frame.packedBytes())
    }
}

func thirtyTwoFrames(of url: URL) async throws -> [[UInt8]] {
    var result: [[UInt8]] = []
    let size = PixelSize(width: 224, height: 224)
    for try await frame in Asset(url: url).frames(.uniform(count: 32), pixelFormat: .rgb24, size: size) {
        result.append(try frame.packedBytes())
    }
    return result
}

func averages(of url: URL) async throws -> [Double] {
    var result: [Double] = []
    let size = PixelSize(width: 64, height: 64)
    for try await frame in Asset(url: url).frames(.rate(perSecond: 2), pixelFormat: .gray, size: size) {
        result.append(averageOfFirstPlane(frame))
    }
    return result
}

func averageOfFirstPlane(_ frame: VideoFrame) -> Double {
    frame.withPlanes { planes in
        guard let plane = planes.first, plane.rowCount > 0, plane.bytesUsedPerRow > 0 else { return 0 }
        var sum = 0
        for row in 0..<plane.rowCount {
            let start = plane.baseAddress + row * plane.bytesPerRow
            let bytes = UnsafeRawBufferPointer(start: start, count: plane.bytesUsedPerRow)
            sum += bytes.reduce(0) { $0 + Int($1) }
        }
        return Double(sum) / Double(plane.rowCount * plane.bytesUsedPerRow)
    }
}

func speech(of url: URL) async throws -> [Float] {
    var samples: [Float] = []
    for try await buffer in Asset(url: url).audio(format: .speech16kMono) {
        samples += buffer.interleavedFloats
    }
    return samples
}

func wav(of url: URL, to path: String) async throws {
    let sink = try WAVSink(ByteOutput(replacing: path))
    try await Player(url: url, configuration: .offline(audio: .sink(sink))).playToEnd()
}

func encode(_ url: URL, to output: String) async throws {
    let (encoder, pipe) = (Process(), Pipe())
    encoder.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    encoder.arguments = ["ffmpeg", "-v", "error", "-y", "-i", "-", output]
    encoder.standardInput = pipe
    try encoder.run()
    let film = ByteOutput(owning: dup(pipe.fileHandleForWriting.fileDescriptor), name: "ffmpeg")
    try pipe.fileHandleForWriting.close()
    let player = Player(url: url, configuration: .offline())
    player.add(Y4MSink(film), size: PixelSize(width: 640, height: 360))
    try await player.playToEnd()
    await player.shutdown()  // The encoder waits for the end of the pipe.
    encoder.waitUntilExit()
}

func cached(_ url: URL, in folder: URL) -> Asset {
    let cache = DiskCache(directory: folder, maximumBytes: 10 << 30)  // or DiskCache.default
    return Asset(url: url, options: AssetOptions(network: NetworkOptions(cache: cache)))
}

func feed(_ clips: [URL], _ sinks: [any VideoSink]) -> (FeedPlayer<Int>, [FeedLayer]) {
    let feed = FeedPlayer<Int> { Asset(url: clips[$0]) }
    let layers = clips.indices.map { id in
        let layer = FeedLayer(size: PixelSize(width: 320, height: 180))
        layer.add(sinks[id])
        feed.setLayer(layer, for: id)
        return layer
    }
    feed.setViewport(FeedViewport(CGRect(x: 0, y: 0, width: 320, height: 200)))
    feed.setCells(
        clips.indices.map { FeedCell($0, frame: CGRect(x: 0, y: Double($0) * 200, width: 320, height: 180)) }
    )
    return (feed, layers)
}

func words(of url: URL) async throws -> [String] {
    let asset = Asset(url: url)
    try await asset.load()
    guard let track = asset.tracks.first(where: { $0.mediaType == .subtitle }) else { return [] }
    return try await asset.cues(of: track).map(\.text)
}

func film(_ url: URL, subtitles: URL, show: @escaping @Sendable (VideoFrame) -> Void) -> Player {
    let player = Player(url: url)
    player.currentItem?.legibleAsset = Asset(url: subtitles)
    player.add(CallbackVideoSink(pixelFormats: [.bgra], rendersSubtitles: true) { show($0) })
    return player
}

func inStep(_ urls: [URL], _ sinks: [any VideoSink]) async -> [Player] {
    let players = urls.map { Player(url: $0) }
    for (player, sink) in zip(players, sinks) {
        player.add(sink)
        await player.preroll(atRate: 1)
    }
    let start = (players[0].hostTime + .milliseconds(200)).mediaTime
    for player in players { player.setRate(1, time: .zero, atHostTime: start) }
    return players
}

func offlineInStep(_ urls: [URL], _ sinks: [any VideoSink], on clock: VirtualClock) async throws {
    let players = clock.hold {
        let players = urls.map { Player(url: $0, configuration: .offline(clock: clock)) }
        for (player, sink) in zip(players, sinks) { player.add(sink) }
        for player in players { player.play() }
        return players
    }
    for player in players { try await player.playToEnd() }
}

func authorized(_ url: URL, token: String, renewed: @escaping @Sendable (URL) async -> URL?) -> Asset {
    let header = NetworkOptions.Header(name: "Authorization", value: "Bearer \(token)")
    var options = AssetOptions(network: NetworkOptions(headers: [header], timeout: .seconds(20)))
    options.renewedURL = { url, _ in await renewed(url) }  // for links that expire while the film plays
    return Asset(url: url, options: options)
}

func player(_ url: URL, cache: DiskCache) -> Player {
    var configuration = Player.Configuration()
    configuration.network.cache = cache
    return Player(url: url, configuration: configuration)
}

func wall(of players: [Player], in areas: [PixelRect], into sink: any VideoSink) -> CompositeSink {
    let wall = CompositeSink(size: PixelSize(width: 1280, height: 720))
    wall.add(sink)
    for (player, area) in zip(players, areas) {
        player.add(wall.makeRegion(area), size: area.size)
    }
    return wall  // for the application to retain
}
