// A media picker without a screen, and a view that plays the selected file: first once with aspect fit, then in a loop with aspect
// fill. Prints the content of the list after each key, and of the view. fit.png and fill.png are the view's last frames.

import Foundation
import Playhead
import PlayheadFeed
import PlayheadPicker
import PlayheadTesting
import Synchronization

guard CommandLine.arguments.count == 3 else {
    FileHandle.standardError.write(Data("usage: PickerDemo PICTURES FOLDER\n".utf8))
    exit(64)
}
let pictures = URL(fileURLWithPath: CommandLine.arguments[1], isDirectory: true)
let folder = URL(fileURLWithPath: CommandLine.arguments[2], isDirectory: true)

// MARK: Choosing

var picker = MediaPicker(try await MediaFile.files(in: folder))
picker.rowCount = 4

@MainActor func show(_ words: String) {
    print("\(words): \(picker.shown.count) of \(picker.files.count)")
    for index in picker.visible {
        print(index == picker.index ? "  >" : "   ", picker.shown[index].name, picker.shown[index].kind)
    }
}

/// The keys that the user presses. An application with a screen calls `handle` from its key handler.
let script: [(String, [MediaPicker.Key])] = [
    ("down", [.down]), ("to the last", [.end]), ("only video", [.tab]),
    ("\"10\" typed", "/10".map { .character($0) }), ("Escape", [.escape]), ("up", [.up]), ("Enter", [.enter]),
]
var chosen: MediaFile?
show("all")
for (words, keys) in script {
    for key in keys {
        if case .chosen(let file) = picker.handle(key) { chosen = file }
    }
    if chosen == nil { show(words) }
}
guard let clip = chosen else { exit(1) }
print("chosen:", clip.name)

// MARK: Playing it

/// The last frame, which a screen would show.
final class LastFrame: Sendable {
    private let state = Mutex<(frame: VideoFrame?, count: Int)>((nil, 0))
    var count: Int { state.withLock { $0.count } }
    func take(_ frame: VideoFrame) { state.withLock { $0 = (frame, $0.count + 1) } }

    func write(to url: URL) throws {
        guard let frame = state.withLock({ $0.frame }) else { return }
        try Data(ImageEncoder(.png).encode(frame)).write(to: url)
    }
}

// The script advances the clock. An application with a screen uses the default clock.
let driver = ManualDriver(settlesByItself: true)
var configuration = Player.Configuration()
configuration.clock = .driver(driver)
let last = LastFrame()
let view = VideoView(size: PixelSize(width: 200, height: 200), configuration: configuration)
view.add(CallbackVideoSink(pixelFormats: [.rgb24]) { last.take($0) })

@MainActor func play(_ mode: Player.RepeatMode, _ gravity: VideoGravity, _ picture: String) throws {
    view.repeatMode = mode
    view.contentMode = gravity
    view.url = clip.url
    print("\(mode), \(gravity):")
    for _ in 0..<4 {
        driver.run(seconds: 1.5)
        let seconds = String(format: "%4.1f s", Double(driver.now.nanoseconds) / 1e9)
        let status = view.player.map { "\($0.timeControlStatus)" } ?? "no player"
        print("  \(seconds)  shows \(view.content), \(last.count) pictures, \(status)")
    }
    try last.write(to: pictures.appendingPathComponent(picture))
}

try play(.once, .resizeAspect, "fit.png")
try play(.loop, .resizeAspectFill, "fill.png")
