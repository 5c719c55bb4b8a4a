import Dispatch
import Foundation
import PlaybackEngine
import Playhead
import Synchronization
import TestSupport
import Testing

/// Lets a test wait until its sink has been finished.
final class FinishingSink: VideoSink {
    private let state = Mutex((finishes: 0, frameCount: 0))
    private let finished: AsyncStream<Void>.Continuation
    let stream: AsyncStream<Void>

    init() { (stream, finished) = AsyncStream.makeStream() }

    var finishes: Int { state.withLock { $0.finishes } }
    var frameCount: Int { state.withLock { $0.frameCount } }

    func start(_ format: VideoFormat) throws {}
    func present(_ frame: VideoFrame) throws { state.withLock { $0.frameCount += 1 } }
    func finish() {
        state.withLock { $0.finishes += 1 }
        finished.finish()
    }
}

// Rule: closing
@Suite("Releasing players at any time, on real threads and real media", .enabled(if: Fixture.areThere))
struct ReleaseTests {
    private static let files = [
        "clip-h264-aac.mp4", "clip-vp9-opus.webm", "clip-h264-aac.ts", "tone-48000.opus", "broken-text.mp4",
        "broken-cut-faststart.mp4", "nothing-there.mp4",
    ]

    @Test("Sinks are finished once, and nothing is left behind", arguments: 0..<60)
    func released(seed: Int) async {
        var random = SplitMix64(UInt64(seed))
        let sink = FinishingSink()
        weak var player: Player?
        weak var item: PlayerItem?
        let clock = ContinuousClock()
        let callbacks = DispatchQueue(label: "test")
        do {
            var configuration = Player.Configuration()
            if Bool.random(using: &random) { configuration.clock = .virtual }
            configuration.callbackQueue = callbacks
            let made = Player(configuration: configuration)
            player = made
            let layer = PlayerLayer(player: made)
            layer.add(sink)
            let events = made.timedEvents
            made.repeatMode = .loop
            made.play()
            let next = PlayerItem(url: Fixture.url(Self.files.randomElement(using: &random) ?? ""))
            item = next
            made.replaceCurrentItem(with: next)
            // Some players are released before anything has happened, some during a seek or a pass.
            var left = Int.random(in: 0..<20, using: &random)
            if left > 0 {
                for await event in events {
                    left -= 1
                    if left == 5 {
                        let middle = MediaTime(value: 1, timescale: 1)
                        made.seek(to: middle, completionHandler: { _ in })
                    }
                    if case .itemStatusChanged(_, .failed) = event.event { break }
                    if left == 0 { break }
                }
            }
        }
        for await _ in sink.stream {}
        #expect(sink.finishes == 1, "seed \(seed)")
        // An update of the loop or a callback in progress retains them until it returns; a leak would retain them
        // indefinitely.
        let deadline = clock.now + .seconds(60)
        while player != nil || item != nil, clock.now < deadline {
            await withCheckedContinuation { done in callbacks.async { done.resume() } }
        }
        #expect(player == nil, "seed \(seed)")
        #expect(item == nil, "seed \(seed)")
    }

    @Test("shutdown() returns when the sinks have been finished")
    func shutdown() async {
        let sink = FinishingSink()
        let player = Player(url: Fixture.url("clip-h264-aac.mp4"))
        let layer = PlayerLayer(player: player)
        layer.add(sink)
        player.play()
        await player.shutdown()
        #expect(sink.finishes == 1)
    }

    @Test("Releasing a player does not disturb many others that play")
    func manyPlayers() async {
        await withTaskGroup(of: Int.self) { group in
            for number in 0..<12 {
                group.addTask {
                    var configuration = Player.Configuration()
                    configuration.clock = .virtual
                    let player = Player(configuration: configuration)
                    let sink = FinishingSink()
                    let layer = PlayerLayer(player: player)
                    layer.add(sink)
                    let events = player.timedEvents
                    player.play()
                    player.replaceCurrentItem(with: PlayerItem(url: Fixture.url("clip-h264-aac.mp4")))
                    for await event in events {
                        // Every third player is released during playback.
                        if number % 3 == 0, sink.frameCount > 10 { return 90 }
                        if case .didPlayToEndTime = event.event { break }
                    }
                    await player.shutdown()
                    return sink.frameCount
                }
            }
            for await frameCount in group { #expect(frameCount == 90) }
        }
    }
}
