import Foundation
import Playhead
import PlayheadFeed
import Testing

@Test(
    "The first clip of which 85 % is visible plays once the list rests; what each cell shows",
    .enabled(if: Media.exists)
)
func scrollingFeed() throws {
    let script = Script()
    let clips = [Media.h264, Media.vfr]
    var settings = FeedSettings()
    settings.rule = .first(atLeast: 0.85)
    let feed = FeedPlayer<Int>(settings: settings, configuration: script.configuration) {
        Asset(url: clips[$0 % clips.count])
    }
    feed.setChangeHandler { time, changes in
        script.print(script.seconds(time), changes.map { "\($0)" }.joined(separator: ", "))
    }
    let cells = (0..<12).map {
        FeedCell($0, frame: CGRect(x: 10, y: Double($0) * 190 + 10, width: 320, height: 180))
    }
    var layers: [Int: FeedLayer] = [:]

    func step(_ y: Double, _ phase: ScrollPhase?, then seconds: Double) {
        let viewport = FeedViewport(CGRect(x: 0, y: y, width: 340, height: 420))
        if let phase { feed.scroll(to: viewport, phase) } else { feed.setViewport(viewport) }
        // A cell has a layer while it is visible.
        for cell in cells {
            let isSeen = viewport.share(of: cell.frame) > 0
            guard isSeen != (layers[cell.id] != nil) else { continue }
            let layer = isSeen ? FeedLayer(size: PixelSize(width: 320, height: 180)) : nil
            layer?.add(CallbackVideoSink { _ in })
            layers[cell.id] = layer
            feed.setLayer(layer, for: cell.id)
        }
        script.driver.run(seconds: seconds)
        let shown = layers.sorted { $0.key < $1.key }.map { "\($0.key) shows \($0.value.content)" }
        script.print("      ", shown.joined(separator: ", "))
    }

    feed.setCells(cells)
    step(0, nil, then: 1)
    step(60, .dragging, then: 0.1)
    step(200, .dragging, then: 0.1)
    step(200, .settled, then: 1)
    step(900, .decelerating, then: 0.1)
    step(1000, .settled, then: 1)
    feed.pause(6)
    step(1000, .settled, then: 0.5)
    step(0, nil, then: 1)
    try script.expect("ScrollingFeed")
}
