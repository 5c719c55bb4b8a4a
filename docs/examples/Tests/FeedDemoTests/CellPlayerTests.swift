import Foundation
import Playhead
import PlayheadFeed
import Testing

@Test("Cells that are visible as a whole play, at most four", .enabled(if: Media.exists))
func cellPlayers() throws {
    let script = Script()
    let clips = [Media.h264, Media.vfr]
    var settings = FeedSettings()
    settings.rule = .all(atLeast: 1, upTo: 4)
    let feed = FeedPlayer<Int>(settings: settings, configuration: script.configuration) {
        Asset(url: clips[$0 % clips.count])
    }
    feed.setChangeHandler { time, changes in
        script.print(script.seconds(time), changes.map { "\($0)" }.joined(separator: ", "))
    }

    // 20 cells of 160x200 in two columns, in a viewport of 320x420.
    let cells = (0..<20).map { id in
        let (column, row) = (id % 2, id / 2)
        return FeedCell(id, frame: CGRect(x: column * 160, y: row * 200, width: 160, height: 200))
    }
    func viewport(_ y: Double) -> FeedViewport { FeedViewport(CGRect(x: 0, y: y, width: 320, height: 420)) }
    func scroll(from start: Double, to end: Double) {
        for step in 1...5 {
            script.driver.run(seconds: 0.1)
            feed.scroll(to: viewport(start + (end - start) * Double(step) / 5), .dragging)
        }
        feed.scroll(to: viewport(end), .settled)
        script.driver.run(seconds: 1)
    }

    feed.setViewport(viewport(0))
    feed.setCells(cells)
    script.driver.run(seconds: 1)
    scroll(from: 0, to: 190)
    scroll(from: 190, to: 600)
    script.print("the user pauses 7")
    feed.pause(7)
    script.print("another screen, and back")
    feed.setOnScreen(false)
    script.driver.run(seconds: 1)
    feed.setOnScreen(true)
    script.driver.run(seconds: 1)
    script.print("players: \(feed.playerCount) of \(settings.poolSize)")
    try script.expect("CellPlayer")
}
