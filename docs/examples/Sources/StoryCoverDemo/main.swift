// A story cover: a muted loop that is cropped to its cell, with a poster until the first frame. Another story replaces it and is
// then removed. Prints the content of the cell every half second.

import Foundation
import Playhead
import PlayheadFeed
import PlayheadTesting

let paths = CommandLine.arguments.dropFirst()
guard paths.count == 2 else {
    FileHandle.standardError.write(Data("usage: StoryCoverDemo FILE FILE\n".utf8))
    exit(64)
}
let stories = paths.map { URL(fileURLWithPath: $0) }

// The script advances the clock. An application with a screen uses the default clock.
let driver = ManualDriver(settlesByItself: true)
var configuration = Player.Configuration()
configuration.clock = .driver(driver)

let count = Locked(0)
let cover = VideoView(size: PixelSize(width: 90, height: 160), configuration: configuration)
cover.contentMode = .resizeAspectFill
cover.add(CallbackVideoSink { _ in count.value += 1 })

func report(_ words: String) {
    let seconds = String(format: "%4.1f s", Double(driver.now.nanoseconds) / 1e9)
    print(
        seconds,
        words,
        "shows \(cover.content), \(count.value) pictures, \(cover.player == nil ? "no player" : "a player")"
    )
}

for (number, story) in stories.enumerated() {
    cover.url = story
    report("story \(number):")
    for _ in 0..<8 {
        driver.run(seconds: 0.5)
        report("story \(number):")
    }
}
cover.url = nil
driver.run(seconds: 0.5)
report("none:")
