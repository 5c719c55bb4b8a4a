import Foundation
import Playhead
import Synchronization

/// A paused player, as in an editor, with the default settings and sinks that discard their input.
final class PausedPlayer: Sendable {
    private let player: Player
    private let layer: PlayerLayer
    private let sink: ShownFrame
    /// The result of opening, timed from setting the item until its first frame is shown.
    let opening: Answer

    /// Returns when the first frame is shown. Returns nil if the file cannot be played.
    init?(_ file: URL) async {
        var configuration = Player.Configuration()
        configuration.audio = .sink(NullAudioSink())
        player = Player(configuration: configuration)
        layer = PlayerLayer(player: player)
        sink = ShownFrame()
        layer.add(sink)
        let events = player.events
        let start = ContinuousClock.now
        player.replaceCurrentItem(with: PlayerItem(url: file))
        for await event in events {
            switch event {
            case .readyForDisplayChanged(_, true):
                opening = Answer(seconds: (ContinuousClock.now - start) / .seconds(1), frame: sink.frame)
                return
            case .itemStatusChanged(_, .failed), .passEnded: return nil
            default: continue
            }
        }
        return nil
    }

    var shown: VideoFrame? { sink.frame }

    func seek(to seconds: Double) async -> Answer {
        let target = MediaTime(seconds: seconds, preferredTimescale: 1_000_000)
        let start = ContinuousClock.now
        let (isFinished, end) = await withCheckedContinuation { continuation in
            player.seek(to: target, toleranceBefore: .zero, toleranceAfter: .zero) { isFinished in
                continuation.resume(returning: (isFinished, ContinuousClock.now))
            }
        }
        return Answer(isFinished: isFinished, seconds: (end - start) / .seconds(1), frame: shown)
    }

    func step(by count: Int) async -> Answer {
        let start = ContinuousClock.now
        let end = await withCheckedContinuation { continuation in
            sink.whenNextIsShown { continuation.resume(returning: ContinuousClock.now) }
            player.currentItem?.step(byCount: count)
        }
        return Answer(seconds: (end - start) / .seconds(1), frame: shown)
    }

    func shutdown() async { await player.shutdown() }
}

/// Stores the frame being shown.
final class ShownFrame: VideoSink {
    private struct State: Sendable {
        var frame: VideoFrame?
        var waiting: (@Sendable () -> Void)?
    }
    private let state = Mutex(State())

    var frame: VideoFrame? { state.withLock { $0.frame } }

    /// Calls `body` once, when the next frame is shown.
    func whenNextIsShown(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.waiting = body } }

    func start(_ format: VideoFormat) {}

    func present(_ frame: VideoFrame) {
        let waiting = state.withLock { state in
            state.frame = frame
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?()
    }

    func flush() {}
    func finish() {}
}
