import Foundation
import Playhead
import PlayheadFeed
import PlayheadTesting
import Testing

@Test(
    "Clips are downloaded one at a time while they play, and a download stops with its last reader",
    .enabled(if: Media.exists)
)
func downloadFeed() throws {
    let script = Script()
    let folder = try Folder()
    let clips = try [Media.h264, Media.vfr].map { try Data(contentsOf: $0) }
    // A server that takes 40 ms for each part.
    let driver = script.driver
    let server = driver.makeLane(.blockingIO, label: "server")
    let files = (0..<6).map { folder.url.appendingPathComponent("download-\($0).mp4") }
    let downloads = try (0..<6).map { id in
        let clip = clips[id % clips.count]
        return try Download(Int64(clip.count), to: files[id]) { range, deliver in
            let part = clip[Int(range.lowerBound)..<Int(range.upperBound)]
            let answer = driver.schedule(at: driver.now + .milliseconds(40), on: server) {
                deliver(part)
            }
            return { answer.cancel() }
        }
    }

    var settings = FeedSettings()
    settings.rule = .first(atLeast: 0.85)
    settings.preparesOneByOne = true
    let feed = FeedPlayer<Int>(settings: settings, configuration: script.configuration) { id in
        Asset(url: files[id], options: AssetOptions(byteSource: downloads[id]))
    }
    feed.setChangeHandler { time, changes in
        script.print(script.seconds(time), changes.map { "\($0)" }.joined(separator: ", "))
    }
    let cells = (0..<6).map {
        FeedCell($0, frame: CGRect(x: 0, y: Double($0) * 200, width: 320, height: 180))
    }
    var layers: [Int: FeedLayer] = [:]

    func step(_ y: Double, _ phase: ScrollPhase?, then seconds: Double) {
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
        let progress = downloads.map { $0.progress + ($0.isDownloading ? "..." : "") }
        script.print("      there:", progress.joined(separator: " "), "-", shown.joined(separator: ", "))
    }

    feed.setCells(cells)
    step(0, nil, then: 0.1)
    step(0, nil, then: 0.5)
    step(0, nil, then: 1)
    step(260, .dragging, then: 0.2)
    step(400, .settled, then: 0.5)
    // A fling past clip 3 while it is being preloaded.
    step(800, .decelerating, then: 0.1)
    step(800, .settled, then: 2)
    for (id, download) in downloads.enumerated() {
        let stored = try Data(contentsOf: files[id])
        let isWhole = stored == clips[id % clips.count]
        script.print("clip \(id):", download.progress, isWhole ? "the file is the clip" : "not whole")
    }
    try script.expect("DownloadFeed")
}
