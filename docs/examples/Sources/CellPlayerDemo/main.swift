// Players in the cells of a collection with two columns. Fully visible cells play, at most four at a time. The user scrolls,
// pauses one player, opens another screen and returns. Prints each decision.

import Foundation
import Playhead
import PlayheadFeed
import PlayheadTesting

let clips = CommandLine.arguments.dropFirst().map { URL(fileURLWithPath: $0) }
guard !clips.isEmpty else {
    FileHandle.standardError.write(Data("usage: CellPlayerDemo FILE...\n".utf8))
    exit(64)
}

// The script advances the clock. An application with a screen uses the default clock.
let driver = ManualDriver(settlesByItself: true)
var configuration = Player.Configuration()
configuration.clock = .driver(driver)

var settings = FeedSettings()
settings.rule = .all(atLeast: 1, upTo: 4)
let feed = FeedPlayer<Int>(settings: settings, configuration: configuration) {
    Asset(url: clips[$0 % clips.count])
}
feed.setChangeHandler { time, changes in
    print(
        String(format: "%4.1f s", Double(time.nanoseconds) / 1e9),
        changes.map { "\($0)" }.joined(separator: ", ")
    )
}

// 20 cells of 160x200 in two columns, in a viewport of 320x420.
let cells = (0..<20).map { id in
    FeedCell(id, frame: CGRect(x: Double(id % 2) * 160, y: Double(id / 2) * 200, width: 160, height: 200))
}
func viewport(_ y: Double) -> FeedViewport { FeedViewport(CGRect(x: 0, y: y, width: 320, height: 420)) }
func scroll(from start: Double, to end: Double) {
    for step in 1...5 {
        driver.run(seconds: 0.1)
        feed.scroll(to: viewport(start + (end - start) * Double(step) / 5), .dragging)
    }
    feed.scroll(to: viewport(end), .settled)
    driver.run(seconds: 1)
}

feed.setViewport(viewport(0))
feed.setCells(cells)
driver.run(seconds: 1)
scroll(from: 0, to: 190)
scroll(from: 190, to: 600)
print("the user pauses 7")
feed.pause(7)
print("another screen, and back")
feed.setOnScreen(false)
driver.run(seconds: 1)
feed.setOnScreen(true)
driver.run(seconds: 1)
print("players: \(feed.playerCount) of \(settings.poolSize)")
