import Dispatch
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

    /// A Boolean value that indicates whether a user drags the position.
    var isScrubbing: Bool {
        get { player.isScrubbing }
        set { player.isScrubbing = newValue }
    }

    func seek(to seconds: Double) async -> Answer {
        let first = Mutex<ShownFrame.Entry?>(nil)
        let start = ContinuousClock.now
        sink.whenNextIsShown { entry in first.withLock { $0 = entry } }
        let (isFinished, end) = await withCheckedContinuation { continuation in
            player.seek(to: Self.time(seconds), toleranceBefore: .zero, toleranceAfter: .zero) { isFinished in
                continuation.resume(returning: (isFinished, ContinuousClock.now))
            }
        }
        var answer = Answer(isFinished: isFinished, seconds: (end - start) / .seconds(1), frame: shown)
        if let first = first.withLock({ $0 }) {
            answer.first = (seconds: (first.time - start) / .seconds(1), frame: first.frame)
        }
        return answer
    }

    /// Drags the position from one time to another, as a finger does, and stops there.
    ///
    /// - Parameters:
    ///   - from: The first target in seconds.
    ///   - to: The last target in seconds.
    ///   - count: The number of seeks, at least two. They begin every sixtieth of a second.
    /// - Returns: The result of the last seek, and for each seek the time from the call until the next frame was shown.
    func drag(from: Double, to: Double, count: Int) async -> (last: Answer, waits: [Double]) {
        sink.beginRecording()
        var starts: [ContinuousClock.Instant] = []
        let begin = ContinuousClock.now
        for index in 0..<count - 1 {
            starts.append(ContinuousClock.now)
            let seconds = from + (to - from) * Double(index) / Double(count - 1)
            player.seek(to: Self.time(seconds), toleranceBefore: .zero, toleranceAfter: .zero) { _ in }
            await Self.wait(until: begin + .seconds(Double(index + 1) / 60))
        }
        starts.append(ContinuousClock.now)
        let last = await seek(to: to)
        let shown = sink.recorded
        let waits = starts.compactMap { start in
            shown.first { $0 >= start }.map { ($0 - start) / .seconds(1) }
        }
        return (last, waits)
    }

    private static func wait(until time: ContinuousClock.Instant) async {
        await withCheckedContinuation { continuation in
            let delay = (time - ContinuousClock.now) / .seconds(1)
            DispatchQueue.global().asyncAfter(deadline: .now() + max(0, delay)) { continuation.resume() }
        }
    }

    private static func time(_ seconds: Double) -> MediaTime {
        MediaTime(seconds: seconds, preferredTimescale: 1_000_000)
    }

    func step(by count: Int) async -> Answer {
        let start = ContinuousClock.now
        let end = await withCheckedContinuation { continuation in
            sink.whenNextIsShown { continuation.resume(returning: $0.time) }
            player.currentItem?.step(byCount: count)
        }
        return Answer(seconds: (end - start) / .seconds(1), frame: shown)
    }

    func shutdown() async { await player.shutdown() }
}

/// Stores the frame being shown.
final class ShownFrame: VideoSink {
    /// A frame and the time at which it was shown.
    struct Entry: Sendable {
        let frame: VideoFrame
        let time: ContinuousClock.Instant
    }

    private struct State: Sendable {
        var frame: VideoFrame?
        var waiting: (@Sendable (Entry) -> Void)?
        /// The times since recording began. Frames are not retained.
        var times: [ContinuousClock.Instant] = []
    }
    private let state = Mutex(State())

    var frame: VideoFrame? { state.withLock { $0.frame } }

    /// Calls `body` once, when the next frame is shown.
    func whenNextIsShown(_ body: @escaping @Sendable (Entry) -> Void) { state.withLock { $0.waiting = body } }

    /// Begins to record the times at which frames are shown.
    func beginRecording() { state.withLock { $0.times = [] } }

    /// The times at which frames were shown since `beginRecording()`, in order.
    var recorded: [ContinuousClock.Instant] { state.withLock { $0.times } }

    func start(_ format: VideoFormat) {}

    func present(_ frame: VideoFrame) {
        let entry = Entry(frame: frame, time: ContinuousClock.now)
        let waiting = state.withLock { state in
            state.frame = frame
            state.times.append(entry.time)
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?(entry)
    }

    func flush() {}
    func finish() {}
}
