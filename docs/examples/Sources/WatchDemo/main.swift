// Observes one player in all four ways while it plays a file on the virtual clock, and prints what each of
// them reported, side by side. Each row is one change. All columns are in the same order.

import Foundation
import Playhead

guard CommandLine.arguments.count == 2 else {
    FileHandle.standardError.write(Data("usage: WatchDemo FILE\n".utf8))
    exit(64)
}

let clock = VirtualClock()
var configuration = Player.Configuration()
configuration.clock = .virtual(clock)
let player = Player(configuration: configuration)
let item = PlayerItem(url: URL(fileURLWithPath: CommandLine.arguments[1]))
let layer = PlayerLayer(player: player)
layer.add(CallbackVideoSink { _ in })
let table = Table()

let watching = [
    watchByKeyPath(player, item, layer, table),
    watchByNotification(player, item, table),
]
watchByTracking(player, item, layer, table)

// At two seconds, seek back to one second.
let boundary = player.addBoundaryTimeObserver(forTimes: [MediaTime(value: 2, timescale: 1)]) {
    [once = Once()] in
    guard once.isFirst else { return }
    player.seek(to: MediaTime(value: 1, timescale: 1), toleranceBefore: .zero, toleranceAfter: .zero)
}

let events = player.events
// The item is not opened before the player plays.
clock.hold {
    player.replaceCurrentItem(with: item)
    player.play()
}
for await event in events {
    for change in words(for: event) { table.add(change, to: .event) }
    if case .timeControlStatusChanged(.paused, _) = event { break }
}
// The callback queue may still be notifying the other observers of the last event.
player.callbackQueue.sync {}
await player.shutdown()
boundary.invalidate()
for token in watching { token.end() }
table.print()
