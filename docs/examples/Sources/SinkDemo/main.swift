// Prints the times of a film's cuts as fast as the machine can decode, with a custom sink on the virtual clock.

import Foundation
import Playhead

guard CommandLine.arguments.count == 2 else {
    FileHandle.standardError.write(Data("usage: SinkDemo FILE\n".utf8))
    exit(64)
}

var configuration = Player.Configuration()
configuration.clock = .virtual
configuration.audio = .none
let player = Player(configuration: configuration)
let layer = PlayerLayer(player: player, size: PixelSize(width: 160, height: 90))
layer.add(CutFinder())
let events = player.events
player.replaceCurrentItem(with: PlayerItem(url: URL(fileURLWithPath: CommandLine.arguments[1])))
player.play()

loop: for await event in events {
    switch event {
    case .itemStatusChanged(let item, .failed):
        if let error = item.error { print(error) }
        exit(1)
    case .passEnded(_, .failed(let error)):
        print(error)
        exit(1)
    case .passEnded: break loop
    default: continue
    }
}
