import Foundation
import Playhead
import PlayheadFeed
import PlayheadPicker
import Synchronization
import Testing

@Test("A file is chosen with keys and plays in a view, once and in a loop", .enabled(if: Media.exists))
func pickerAndView() async throws {
    let script = Script()
    let folder = try Folder()
    // Their names lie where they can: the bytes tell.
    let files = [
        "clip2.mp4": Media.h264, "clip10.mp4": Media.vfr, "clip1.dat": Media.av1,
        "tone": Media.clip("tone-44100.mp3"),
    ]
    for (name, source) in files {
        try FileManager.default.copyItem(at: source, to: folder.url.appendingPathComponent(name))
    }
    for name in ["notes.mp4", ".hidden.mp4"] {
        try Data("no media\n".utf8).write(to: folder.url.appendingPathComponent(name))
    }
    var picker = MediaPicker(try await MediaFile.files(in: folder.url))
    picker.rowCount = 4

    func show(_ words: String) {
        script.print("\(words): \(picker.shown.count) of \(picker.files.count)")
        for index in picker.visible {
            script.print(
                index == picker.index ? "  >" : "   ",
                picker.shown[index].name,
                "\(picker.shown[index].kind)"
            )
        }
    }
    let keys: [(String, [MediaPicker.Key])] = [
        ("down", [.down]), ("to the last", [.end]), ("only video", [.tab]),
        ("\"10\" typed", "/10".map { .character($0) }), ("Escape", [.escape]), ("up", [.up]),
        ("Enter", [.enter]),
    ]
    var chosen: MediaFile?
    show("all")
    for (words, keys) in keys {
        for key in keys {
            if case .chosen(let file) = picker.handle(key) { chosen = file }
        }
        if chosen == nil { show(words) }
    }
    let clip = try #require(chosen)
    script.print("chosen:", clip.name)

    let count = Atomic(0)
    let view = VideoView(size: PixelSize(width: 200, height: 200), configuration: script.configuration)
    view.add(CallbackVideoSink(pixelFormats: [.rgb24]) { _ in count.add(1, ordering: .relaxed) })
    for (mode, gravity) in [(Player.RepeatMode.once, VideoGravity.resizeAspect), (.loop, .resizeAspectFill)] {
        view.repeatMode = mode
        view.contentMode = gravity
        view.url = clip.url
        script.print("\(mode), \(gravity):")
        for _ in 0..<4 {
            script.driver.run(seconds: 1.5)
            let status = view.player.map { "\($0.timeControlStatus)" } ?? "no player"
            let pictures = count.load(ordering: .relaxed)
            script.print("  \(script.now)  shows \(view.content), \(pictures) pictures, \(status)")
        }
    }
    try script.expect("Picker")
}
