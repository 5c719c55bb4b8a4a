// Records a clip, chooses it in a media picker, and plays it in a view: first once with aspect fit, then in a loop with aspect fill.
// Without a camera it records a test pattern. Prints the list after each key, and what the view reports.

import DemoScreen
import Foundation
import Playhead
import PlayheadCapture
import PlayheadFeed
import PlayheadPicker

let screen = Screen("FOLDER", width: 220, height: 220) { $0.count == 1 }
let folder = URL(fileURLWithPath: screen.arguments[0], isDirectory: true)

// MARK: Recording

let camera = "/dev/video0"
let hasCamera = FileManager.default.fileExists(atPath: camera)
let source = CaptureSource(
    hasCamera ? .camera(camera) : .testPattern,
    size: PixelSize(width: 320, height: 240),
    frameRate: 25
)
let recorder = Recorder(
    source,
    to: folder.appending(path: "recording.mp4"),
    duration: MediaTime(value: 2, timescale: 1)
)
let recording = try await recorder.record()
print("recorded \(recording.frameCount) frames of \(hasCamera ? camera : "a test pattern")")

// MARK: Choosing

var picker = MediaPicker(try await MediaFile.files(in: folder))
picker.rowCount = 4

@MainActor func show(_ words: String) {
    print("\(words): \(picker.shown.count) of \(picker.files.count)")
    for index in picker.visible {
        print(index == picker.index ? "  >" : "   ", picker.shown[index].name, picker.shown[index].kind)
    }
}

// The keys that the user presses. An application with a screen calls `handle` from its key handler.
let script: [(String, [MediaPicker.Key])] = [
    ("down", [.down]), ("only video", [.tab]), ("\"rec\" typed", "/rec".map { .character($0) }),
    ("Enter", [.enter, .enter]),
]
var chosen: MediaFile?
show("all")
for (words, keys) in script {
    for key in keys where chosen == nil {
        if case .chosen(let file) = picker.handle(key) { chosen = file }
    }
    if chosen == nil { show(words) }
}
guard let clip = chosen else { exit(1) }
print("chosen:", clip.name)

// MARK: Playing it

let view = VideoView(size: PixelSize(width: 200, height: 200))
view.backgroundColor = .black
view.add(screen.region(10, 10, 200, 200))
view.setReadyHandler { print("the first frame is shown") }
view.setEndHandler { print("played to its end") }
view.setFailureHandler { print("failed:", $0.message) }

for (mode, gravity) in [(Player.RepeatMode.once, VideoGravity.resizeAspect), (.loop, .resizeAspectFill)] {
    print("\(mode), \(gravity)")
    view.repeatMode = mode
    view.contentMode = gravity
    view.url = clip.url
    try await screen.wait(seconds: 1)
    try await screen.wait(seconds: 1.5)
    print("plays: \(view.isPlaying)")
}
view.url = nil
try await screen.finish(columns: 4)
