// Players in the cells of a collection with two columns. Cells that are visible as a whole play, at most four at a time. The user
// scrolls, pauses one clip, opens another screen and returns. Prints each decision of the feed.

import DemoScreen
import Foundation
import Playhead
import PlayheadFeed

let screen = Screen("FILE...", width: 330, height: 430) { !$0.isEmpty }
let clips = screen.arguments.map { URL(fileURLWithPath: $0) }

var settings = FeedSettings()
settings.rule = .all(atLeast: 1, upTo: 4)
let feed = FeedPlayer<Int>(settings: settings) { Asset(url: clips[$0 % clips.count]) }
let list = ListView(screen, feed) { changes in print(changes.map { "\($0)" }.joined(separator: ", ")) }

list.setCells(
    (0..<20).map { id in
        let (column, row) = (Double(id % 2), Double(id / 2))
        return FeedCell(id, frame: CGRect(x: 10 + column * 160, y: 10 + row * 200, width: 150, height: 190))
    }
)
try await screen.wait(seconds: 1.2)
try await list.drag(to: 190, seconds: 0.4)
try await screen.wait(seconds: 1)
try await list.drag(to: 600, seconds: 0.5)
try await screen.wait(seconds: 1)

print("the user pauses clip 7")
feed.pause(7)
try await screen.wait(seconds: 1)

print("another screen, and back")
feed.setOnScreen(false)
try await screen.wait(seconds: 1)
feed.setOnScreen(true)
try await screen.wait(seconds: 1)
try await screen.finish(columns: 6)
