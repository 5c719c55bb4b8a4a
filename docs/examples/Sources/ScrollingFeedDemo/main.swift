// A feed with the 85 % rule: the first clip that is at least 85 % visible plays once the feed has not moved for 0.3 s. Prints each
// decision, and draws an image of each step that shows the cells, the playing cell, and the content of each cell.

import Foundation
import Playhead
import PlayheadFeed
import PlayheadTesting

let arguments = CommandLine.arguments.dropFirst()
guard arguments.count > 1, let folder = arguments.first else {
    FileHandle.standardError.write(Data("usage: ScrollingFeedDemo FOLDER FILE...\n".utf8))
    exit(64)
}
let clips = arguments.dropFirst().map { URL(fileURLWithPath: $0) }

// The script advances the clock. An application with a screen uses the default clock.
let driver = ManualDriver(settlesByItself: true)
var configuration = Player.Configuration()
configuration.clock = .driver(driver)

var settings = FeedSettings()
settings.rule = .first(atLeast: 0.85)
let feed = FeedPlayer<Int>(settings: settings, configuration: configuration) {
    Asset(url: clips[$0 % clips.count])
}
feed.setChangeHandler { time, changes in
    print(
        String(format: "%4.1f s", Double(time.nanoseconds) / 1e9),
        changes.map { "\($0)" }.joined(separator: ", ")
    )
}

let cells = (0..<12).map {
    FeedCell($0, frame: CGRect(x: 10, y: Double($0) * 190 + 10, width: 320, height: 180))
}
var sheet = ContactSheet(folder: folder, width: 340, height: 420)
var shown: [Int: ShownPicture] = [:]

/// Sets and removes layers as a list view does: a cell has a layer while it is visible.
@MainActor func show(_ viewport: FeedViewport) {
    for cell in cells {
        let isSeen = viewport.share(of: cell.frame) > 0
        if isSeen, shown[cell.id] == nil {
            let picture = ShownPicture(size: PixelSize(width: 320, height: 180))
            shown[cell.id] = picture
            feed.setLayer(picture.layer, for: cell.id)
        } else if !isSeen, shown[cell.id] != nil {
            feed.setLayer(nil, for: cell.id)
            shown[cell.id] = nil
        }
    }
}

@MainActor func step(_ y: Double, _ phase: ScrollPhase?, then seconds: Double) throws {
    let viewport = FeedViewport(CGRect(x: 0, y: y, width: 340, height: 420))
    if let phase { feed.scroll(to: viewport, phase) } else { feed.setViewport(viewport) }
    show(viewport)
    driver.run(seconds: seconds)
    try sheet.draw(viewport, cells, feed.plan, shown)
}

feed.setCells(cells)
try step(0, nil, then: 1)
try step(60, .dragging, then: 0.1)
try step(200, .dragging, then: 0.1)
try step(200, .settled, then: 1)
try step(900, .decelerating, then: 0.1)
try step(1000, .settled, then: 1)
feed.pause(6)
try step(1000, .settled, then: 0.5)
try step(0, nil, then: 1)
