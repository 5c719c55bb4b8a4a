// A feed in a window: the wheel scrolls, a click pauses a clip or lets it play again, m switches the sound, and q ends the program.
// Clips from a web server are kept in a cache on disk. With --sheet it turns the wheel and clicks by itself.

import DemoScreen
import Foundation
import Playhead
import PlayheadFeed
import WindowSink

let screen = Screen("FILE-OR-URL...", width: 480, height: 600) { !$0.isEmpty }
let clips = screen.arguments.map {
    $0.contains("://") ? URL(string: $0) ?? URL(fileURLWithPath: $0) : URL(fileURLWithPath: $0)
}

let feed = FeedPlayer<Int> { id in
    Asset(url: clips[id % clips.count], options: AssetOptions(network: NetworkOptions(cache: .default)))
}
feed.setFailureHandler { id, error in print("clip \(id) cannot be played: \(error.message)") }
let list = ListView(screen, feed)
list.setCells(
    (0..<40).map { FeedCell($0, frame: CGRect(x: 10, y: Double($0) * 270 + 10, width: 460, height: 260)) }
)

// MARK: The user

/// The list glides to where the wheel wants it, and rests when it is there.
@MainActor final class Wheel {
    private var target = 0.0
    private var glide: Task<Void, any Error>?

    func turn(_ steps: Double) {
        target = max(0, min(39 * 270, target - steps * 90))
        guard glide == nil else { return }
        glide = Task {
            while abs(target - list.offset) > 1 {
                let next = list.offset + (target - list.offset) * 0.25
                list.scroll(to: next, .decelerating)
                if list.offset != next { target = list.offset }  // The end of the list.
                try await Task.sleep(for: .milliseconds(16))
            }
            list.scroll(to: target, .settled)
            glide = nil
        }
    }
}
let wheel = Wheel()

@MainActor func handle(_ event: WindowEvent) {
    switch event {
    case .scrolled(_, let y): wheel.turn(y)
    case .clicked(let x, let y):
        guard let id = list.cell(x: x, y: y) else { return }
        let isPaused = feed.plan.entry(of: id)?.reasons.contains(.user) == true
        if isPaused { feed.play(id) } else { feed.pause(id) }
    case .keyPressed(.character("m")): feed.setMuted(!feed.isMuted)
    case .keyPressed(.character("q")), .keyPressed(.escape), .closeRequested: exit(0)
    default: break
    }
}

guard let window = screen.window else {
    // Without a window: the same events, from a script.
    let script: [(WindowEvent, Double)] = [
        (.scrolled(x: 0, y: -1), 1), (.scrolled(x: 0, y: -2), 0.2), (.scrolled(x: 0, y: -9), 0.2),
        (.scrolled(x: 0, y: 1), 1.5), (.clicked(x: 240, y: 300), 0.5), (.clicked(x: 240, y: 300), 0.7),
    ]
    try await screen.wait(seconds: 1)
    for (event, seconds) in script {
        handle(event)
        try await screen.wait(seconds: seconds)
    }
    await DiskCache.default.flush()
    try await screen.finish(columns: 7)
    exit(0)
}
window.setEventHandler { event in Task { @MainActor in handle(event) } }
try await Task.sleep(for: .seconds(1e9))
