// A list of clips from files or from a web server. The first clip of which at least 85 % is visible plays, once the list has not moved
// for 0.3 seconds; the others show their posters. What comes from a server is kept in a cache on disk, so that a clip that returns is
// not fetched again. Prints each decision of the feed.

import DemoScreen
import Foundation
import Playhead
import PlayheadFeed

let screen = Screen("FILE-OR-URL...", width: 340, height: 420) { !$0.isEmpty }
let clips = screen.arguments.map {
    $0.contains("://") ? URL(string: $0) ?? URL(fileURLWithPath: $0) : URL(fileURLWithPath: $0)
}

var settings = FeedSettings()
settings.rule = .first(atLeast: 0.85)
// The cache replaces a resource loader that stores what it has fetched.
let feed = FeedPlayer<Int>(settings: settings) { id in
    Asset(url: clips[id % clips.count], options: AssetOptions(network: NetworkOptions(cache: .default)))
}
feed.setFailureHandler { id, error in print("clip \(id) cannot be played: \(error.message)") }
let list = ListView(screen, feed) { changes in print(changes.map { "\($0)" }.joined(separator: ", ")) }

func cells(_ ids: some Sequence<Int>) -> [FeedCell<Int>] {
    ids.enumerated().map {
        FeedCell($1, frame: CGRect(x: 10, y: Double($0) * 190 + 10, width: 320, height: 180))
    }
}
list.setCells(cells(0..<12))
try await screen.wait(seconds: 1)

// A slow drag: the clip plays on while 85 % of it are visible.
try await list.drag(to: 20, seconds: 0.3)
try await screen.wait(seconds: 0.1)
try await list.drag(to: 200, seconds: 0.5)
try await screen.wait(seconds: 0.1)
try await screen.wait(seconds: 1)

// A fling. Nothing is opened meanwhile, and preloading is cancelled.
try await list.drag(to: 1140, seconds: 0.4)
try await screen.wait(seconds: 0.1)
try await screen.wait(seconds: 1)

print("the user pauses clip 6, and lets it play again")
feed.pause(6)
try await screen.wait(seconds: 0.5)
feed.play(6)
try await screen.wait(seconds: 1)
await DiskCache.default.flush()
try await screen.finish(columns: 4)
