import Foundation
import Playhead

let path = CommandLine.arguments.dropFirst().first ?? "clip.mp4"
let player = Player(url: URL(fileURLWithPath: path))
player.add(CallbackVideoSink { frame in print(frame.presentationTime.seconds) })
do {
    try await player.playToEnd()
} catch {  // the file could not be opened, or not played to its end
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
