// A scrolling feed whose clips are downloaded while they play, each into its own file. It uses the 85 % rule, and posters of the data
// received so far. Prints each decision, how much of each clip is downloaded, the content of each cell, and whether each file is
// identical to its clip.

import Foundation
import Playhead
import PlayheadFeed
import PlayheadTesting

let arguments = CommandLine.arguments.dropFirst()
guard arguments.count > 1, let folder = arguments.first else {
    FileHandle.standardError.write(Data("usage: DownloadFeedDemo FOLDER FILE...\n".utf8))
    exit(64)
}
let clips = try arguments.dropFirst().map { try Data(contentsOf: URL(fileURLWithPath: $0)) }

// The script advances the clock. An application with a screen uses the default clock.
let driver = ManualDriver(settlesByItself: true)
var configuration = Player.Configuration()
configuration.clock = .driver(driver)
let line = driver.makeLane(.blockingIO, label: "network")

// Simulates a server that takes 40 ms for each part. An application would request the parts from its server, for example with URLSession.
let files = (0..<6).map { URL(fileURLWithPath: folder).appendingPathComponent("download-\($0).mp4") }
let downloads = try (0..<6).map { id in
    let clip = clips[id % clips.count]
    return try Download(Int64(clip.count), to: files[id]) { [driver, line] range, take in
        let part = clip[Int(range.lowerBound)..<Int(range.upperBound)]
        _ = driver.schedule(at: driver.now.advanced(by: 40_000_000), on: line) { take(part) }
    }
}

var settings = FeedSettings()
settings.rule = .first(atLeast: 0.85)
let feed = FeedPlayer<Int>(settings: settings, configuration: configuration) { [downloads, files] id in
    Asset(url: files[id], options: AssetOptions(byteSource: downloads[id]))
}
feed.setChangeHandler { time, changes in
    print(
        String(format: "%4.1f s", Double(time.nanoseconds) / 1e9),
        changes.map { "\($0)" }.joined(separator: ", ")
    )
}

let cells = (0..<6).map { FeedCell($0, frame: CGRect(x: 0, y: Double($0) * 200, width: 320, height: 180)) }
var layers: [Int: FeedLayer] = [:]

@MainActor func step(_ y: Double, _ phase: ScrollPhase?, then seconds: Double) {
    let viewport = FeedViewport(CGRect(x: 0, y: y, width: 320, height: 400))
    if let phase { feed.scroll(to: viewport, phase) } else { feed.setViewport(viewport) }
    for cell in cells {
        let isSeen = viewport.share(of: cell.frame) > 0
        guard isSeen != (layers[cell.id] != nil) else { continue }
        let layer = isSeen ? FeedLayer(size: PixelSize(width: 320, height: 180)) : nil
        layer?.add(CallbackVideoSink { _ in })
        layers[cell.id] = layer
        feed.setLayer(layer, for: cell.id)
    }
    driver.run(seconds: seconds)
    let shown = layers.sorted { $0.key < $1.key }.map { "\($0.key) shows \($0.value.content)" }
    print(
        "      there:",
        downloads.map(\.progress).joined(separator: " "),
        "-",
        shown.joined(separator: ", ")
    )
}

feed.setCells(cells)
step(0, nil, then: 0.1)
step(0, nil, then: 0.5)
step(0, nil, then: 1)
step(260, .dragging, then: 0.2)
step(400, .settled, then: 1)
step(800, .decelerating, then: 0.1)
step(800, .settled, then: 2)
for (id, download) in downloads.enumerated() {
    let isWhole = try Data(contentsOf: files[id]) == clips[id % clips.count]
    print("clip \(id):", download.progress, isWhole ? "the file is the clip" : "not whole")
}
