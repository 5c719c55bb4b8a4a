// A scrolling feed whose clips are downloaded while they play, each into a file of its own, one at a time. A download stops when its
// clip is no longer needed, and goes on when the clip returns. Prints each decision of the feed, and how much of each clip is there.

import DemoScreen
import Foundation
import Playhead
import PlayheadFeed

let screen = Screen("FOLDER FILE...", width: 340, height: 400) { $0.count > 1 }
let folder = URL(fileURLWithPath: screen.arguments[0], isDirectory: true)
let clips = try screen.arguments.dropFirst().map { try Data(contentsOf: URL(fileURLWithPath: $0)) }

// Simulates a server that takes 40 ms for each part. An application would request the parts from its server, with URLSession for example.
let files = (0..<6).map { folder.appending(path: "download-\($0).mp4") }
let downloads = try (0..<6).map { id in
    let clip = clips[id % clips.count]
    return try Download(Int64(clip.count), to: files[id]) { range, deliver in
        let part = clip[Int(range.lowerBound)..<Int(range.upperBound)]
        let answer = Task {
            try await Task.sleep(for: .milliseconds(40))
            deliver(part)
        }
        return { answer.cancel() }
    }
}

var settings = FeedSettings()
settings.rule = .first(atLeast: 0.85)
settings.preparesOneByOne = true
let feed = FeedPlayer<Int>(settings: settings) { [downloads, files] id in
    Asset(url: files[id], options: AssetOptions(byteSource: downloads[id]))
}
let list = ListView(screen, feed) { changes in print(changes.map { "\($0)" }.joined(separator: ", ")) }
list.setCells(
    (0..<6).map { FeedCell($0, frame: CGRect(x: 10, y: Double($0) * 200 + 10, width: 320, height: 180)) }
)

@MainActor func report() {
    print(
        "  there:",
        downloads.map { $0.progress + ($0.isDownloading ? " ..." : "") }.joined(separator: ", ")
    )
}
try await screen.wait(seconds: 0.3)
report()
try await screen.wait(seconds: 1.2)
report()
print("a fling to clip 4")
try await list.drag(to: 800, seconds: 0.3)
report()
try await screen.wait(seconds: 2)
report()
print("and back")
try await list.drag(to: 0, seconds: 0.3)
try await screen.wait(seconds: 2)
report()
for (id, download) in downloads.enumerated() where !download.isDownloading {
    let isWhole = try Data(contentsOf: files[id]) == clips[id % clips.count]
    print("clip \(id):", download.progress, isWhole ? "the file is the clip" : "not whole")
}
try await screen.finish(columns: 4)
