// Story covers: muted loops that are cropped to their cells. On the left a `VideoView`, on the right the same by hand, with a player,
// a layer and a notification, as iPhone apps write it. Both show one story, then another one, are hidden, resized and removed.

import DemoScreen
import Foundation
import Playhead
import PlayheadFeed

let screen = Screen("FILE FILE", width: 400, height: 330) { $0.count == 2 }
let stories = screen.arguments.map { URL(fileURLWithPath: $0) }

// MARK: A view

// A view loops and is muted, unless told otherwise. It shows a poster until the first frame.
let cover = VideoView(size: PixelSize(width: 180, height: 320))
cover.contentMode = .resizeAspectFill
let place = screen.region(10, 5, 180, 320)
cover.add(place)
cover.setFailureHandler { print("the story cannot be played:", $0.message) }

// MARK: By hand

@MainActor final class Cell {
    let player = Player()
    let layer: PlayerLayer
    let region: CompositeRegion
    private var end: Task<Void, Never>?

    init(_ region: CompositeRegion) {
        self.region = region
        layer = PlayerLayer(player: player, size: region.frame.size)
        layer.videoGravity = .resizeAspectFill
        layer.add(region)
        player.isMuted = true
    }

    func show(_ url: URL) {
        let item = PlayerItem(url: url)
        let ends = NotificationCenter.default.notifications(
            named: PlayerItem.didPlayToEndTime,
            object: item
        )
        end?.cancel()
        end = Task { [weak self] in
            for await _ in ends {
                guard let self, !region.isHidden else { continue }
                await player.seek(to: .zero)
                player.play()
            }
        }
        player.replaceCurrentItem(with: item)
        player.play()
    }

    func prepareForReuse() {
        region.isHidden = true
        player.replaceCurrentItem(with: nil)
    }
}

let cell = Cell(screen.region(210, 5, 180, 320))

// MARK: What the user does

for story in stories {
    cover.url = story
    cell.region.isHidden = false
    cell.show(story)
    try await screen.wait(seconds: 0.6)
    try await screen.wait(seconds: 2.4)
}

// Another screen covers the list, and goes away again.
cover.setOnScreen(false)
cell.player.pause()
try await screen.wait(seconds: 0.5)
cover.setOnScreen(true)
cell.player.play()

// The cells become smaller.
for (region, x) in [(place, 10), (cell.region, 210)] {
    region.frame = PixelRect(x: x, y: 5, width: 180, height: 180)
}
cover.size = place.frame.size
cell.layer.size = place.frame.size
try await screen.wait(seconds: 1)

cover.url = nil
cell.prepareForReuse()
place.clear()
try await screen.wait(seconds: 0.3)
try await screen.finish(columns: 7)
