// The snippets of the pages in docs, each in a function. They are compiled, and not run.

import Foundation
import Playhead
import PlayheadCapture
import PlayheadFeed
import PlayheadPicker
import TerminalSink
import WindowSink

// MARK: docs/Playhead.docc

func printTimes() async throws {
    let player = Player(url: URL(fileURLWithPath: "clip.mp4"))
    player.add(CallbackVideoSink { frame in print(frame.presentationTime.seconds) })
    try await player.playToEnd()
}

// MARK: docs/errors.md

func oneBlock(_ url: URL) async {
    do throws(PlaybackError) {
        let wav = try WAVSink(path: "out/film.wav")
        try await Player(url: url, configuration: .offline(audio: .sink(wav))).playToEnd()
    } catch {
        print(error.code, error.message)  // notFound cannot create out/film.wav: No such file or directory
    }
}

// MARK: docs/watching.md

func audio(of url: URL) async throws {
    let wav = try WAVSink(ByteOutput(replacing: "film.wav"))
    try await Player(url: url, configuration: .offline(audio: .sink(wav))).playToEnd()
}

// MARK: docs/time.md

func playTogether(_ players: [Player], on clock: VirtualClock) {
    clock.hold {
        for player in players { player.play() }
    }
}

// MARK: docs/sinks.md

func showInTerminal(_ player: Player) throws -> PlayerLayer {
    let sink = try TerminalSink()  // standard output; throws if it is not a terminal
    let layer = PlayerLayer(player: player, size: sink.layerSize)  // frames are made in the size shown
    sink.setSizeHandler { [weak layer] in layer?.size = $0 }
    layer.add(sink)
    return layer
}

func showInWindow(_ player: Player) -> PlayerLayer {
    let window = WindowSink(title: "film.mp4")
    let layer = PlayerLayer(player: player)
    window.setEventHandler { event in
        switch event {
        case .resized(let size): layer.size = size  // a window has its own size, so it needs its own layer
        case .closeRequested: player.pause()  // the window stays open until the sink finishes
        case .displayLost(let reason): print(reason)  // .displayRestored follows when the display returns
        default: break  // .keyPressed(.character("q")), .clicked(x: 8, y: 3), .scrolled(x: 0, y: 1)
        }
    }
    layer.add(window)
    return layer
}

// MARK: docs/feeds.md

struct Post: Identifiable, Sendable {
    let id: Int
    let url: URL
    let frame: CGRect
}

struct PostCell {
    let layer: FeedLayer
}

func list(_ posts: [Post], in bounds: CGRect, showing post: Post, in cell: PostCell) -> FeedPlayer<Post.ID> {
    let cells = posts.map { FeedCell($0.id, frame: $0.frame) }
    let viewport = FeedViewport(bounds)

    let feed = FeedPlayer<Post.ID> { id in Asset(url: posts[id].url) }
    feed.setViewport(FeedViewport(bounds, insets: FeedInsets(top: 64)))  // without the covered parts
    feed.setCells(posts.map { FeedCell($0.id, frame: $0.frame) })  // after each change of the list
    feed.setLayout(cells, viewport: viewport)  // both at once: an insertion above, a rotation
    feed.setLayer(cell.layer, for: post.id)  // when a cell becomes visible
    feed.scroll(to: viewport, velocity: 900, .dragging)  // .decelerating, .settled

    return feed
}

// MARK: docs/picking.md

func choose(in folder: URL, for view: VideoView) async throws {
    var picker = MediaPicker(try await MediaFile.files(in: folder))
    picker.rowCount = 20
    if case .chosen(let file) = picker.handle(.enter) { view.url = file.url }
}

func record() async throws -> Recorder.Recording {
    let recorder = Recorder(CaptureSource(.camera("/dev/video0")), to: URL(fileURLWithPath: "clip.mp4"))
    let recording = try await recorder.record()  // until stop() is called elsewhere, or a limit is reached
    return recording
}
