// An endless banner of clips and pictures with a page control and a mute button. It turns by itself when a clip has ended or a picture
// was shown for two seconds, and returns to the first page after the last one. A finger stops it.

import DemoScreen
import Foundation
import Playhead
import PlayheadFeed

let screen = Screen("CLIP PICTURE CLIP", width: 320, height: 200) { $0.count == 3 }
let files = screen.arguments.map { URL(fileURLWithPath: $0) }

var settings = FeedSettings()
settings.offscreenBehavior = .pauseAndRewind  // A page that returns starts at its beginning.
let banner = CarouselPlayer(pages: [.clip, .picture(seconds: 2), .clip], settings: settings) { page in
    Asset(url: files[page], options: AssetOptions(preciseTiming: true))
}

// MARK: What is drawn

let pages = files.indices.map { page in
    let (layer, region) = screen.cell(0, 0, 320, 180)
    layer.videoGravity = .resizeAspectFill
    banner.feed.setLayer(layer, for: page)
    return (layer: layer, region: region)
}
let dots = files.indices.map { screen.region(136 + $0 * 20, 186, 8, 8) }
let speaker = screen.region(300, 184, 12, 12)

@MainActor func showControls() {
    for (page, dot) in dots.enumerated() {
        dot.backgroundColor = page == banner.index ? .white : Color(red: 0.4, green: 0.4, blue: 0.4)
    }
    speaker.backgroundColor =
        banner.isMuted ? Color(red: 0.8, green: 0.2, blue: 0.2) : Color(red: 0.2, green: 0.8, blue: 0.2)
}

/// Places each page where it is nearest to a position: with three pages, position 4 shows page 1.
@MainActor func place(_ position: Double) {
    for (page, view) in pages.enumerated() {
        let turns = ((position - Double(page)) / Double(pages.count)).rounded()
        let distance = Double(page) + turns * Double(pages.count) - position
        view.region.frame.x = Int((distance * 320).rounded())
    }
    showControls()
}

/// Slides to a position.
@MainActor func slide(from start: Double, to end: Double) async throws {
    for step in 1...18 {
        place(start + (end - start) * Double(step) / 18)
        try await Task.sleep(for: .milliseconds(16))
    }
}

place(0)
banner.setIndexHandler { page in print("page \(page)") }
banner.setTurnHandler { position in
    Task { @MainActor in try await slide(from: position - 1, to: position) }
}

// MARK: What the user does

for _ in 0..<8 { try await screen.wait(seconds: 1) }

print("the mute button")
banner.setMuted(false)
showControls()
try await screen.wait(seconds: 0.2)

print("a finger holds the banner, and turns it back")
let start = banner.position
for step in 0...12 {
    let position = start - Double(step) / 20
    banner.drag(to: position)
    place(position)
    try await Task.sleep(for: .milliseconds(16))
}
try await screen.wait(seconds: 2)
let held = banner.position
banner.settle(at: held)
try await slide(from: held, to: banner.position)
try await screen.wait(seconds: 1)
try await screen.finish(columns: 4)
