// An endless banner of a clip, an image and a clip. It advances automatically and wraps around after the last page. A touch stops it,
// and a jump to the current page leaves its clip playing. Prints each page change, and the content of the pages.

import Foundation
import Playhead
import PlayheadFeed
import PlayheadTesting

let files = CommandLine.arguments.dropFirst().map { URL(fileURLWithPath: $0) }
guard files.count == 3 else {
    FileHandle.standardError.write(Data("usage: BannerDemo CLIP PICTURE CLIP\n".utf8))
    exit(64)
}

// The script advances the clock. An application with a screen uses the default clock.
let driver = ManualDriver(settlesByItself: true)
var configuration = Player.Configuration()
configuration.clock = .driver(driver)

let banner = CarouselPlayer(
    pages: [.clip, .picture(seconds: 2), .clip],
    configuration: configuration
) { Asset(url: files[$0]) }
let layers = files.indices.map { page in
    let layer = FeedLayer(size: PixelSize(width: 160, height: 90))
    layer.add(CallbackVideoSink { _ in })
    banner.feed.setLayer(layer, for: page)
    return layer
}

func report(_ words: String) {
    let shown = layers.map(\.content.rawValue).joined(separator: " ")
    let seconds = String(format: "%4.1f s", Double(driver.now.nanoseconds) / 1e9)
    print(
        seconds,
        words,
        "at \(banner.position), page \(banner.index), plays \(banner.feed.plan.playing), pages show: \(shown)"
    )
}

report("start")
for _ in 0..<10 {
    driver.run(seconds: 1)
    report("     ")
}
banner.drag(to: banner.position + 0.4)
report("drag ")
driver.run(seconds: 5)
report("held ")
banner.settle(at: banner.position)
driver.run(seconds: 0.5)
let player = banner.feed.player(for: banner.index)
banner.jump(to: banner.index)
report("jump ")
print("the same player:", banner.feed.player(for: banner.index) === player)
