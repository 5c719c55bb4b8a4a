import Foundation
import Playhead

let player = Player()
let layer = PlayerLayer(player: player)
layer.add(CallbackVideoSink { frame in print(frame.presentationTime.seconds) })

let events = player.events  // before the item is set, so that no event is missed
let path = CommandLine.arguments.dropFirst().first ?? "clip.mp4"
player.replaceCurrentItem(with: PlayerItem(url: URL(fileURLWithPath: path)))
player.play()

loop: for await event in events {
    switch event {
    case .passEnded(_, .playedToEnd): break loop
    case .passEnded(_, .failed(let error)):  // the file could not be opened, or not played to its end
        FileHandle.standardError.write(Data("\(error)\n".utf8))
        exit(1)
    case .errorLogEntry(_, let entry) where entry.isRecovered: print("recovered from:", entry.error)
    default: continue
    }
}
