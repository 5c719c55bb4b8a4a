import Foundation
import Playhead
import Synchronization

/// A player without audio, and a sink that records how late each frame arrives.
struct WatchedPlayer {
    let player: Player
    let layer: PlayerLayer
    private let item: PlayerItem
    private let punctuality: Punctuality

    init(_ url: URL) {
        var configuration = Player.Configuration()
        configuration.audio = .none
        item = PlayerItem(url: url)
        player = Player(playerItem: item, configuration: configuration)
        layer = PlayerLayer(player: player)
        let punctuality = Punctuality(item.timebase)
        self.punctuality = punctuality
        layer.add(CallbackVideoSink { punctuality.note($0) })
    }

    /// Starts playback and returns when thirty frames have been shown, so that startup is complete.
    func start() async {
        player.play()
        _ = await punctuality.next(30)
    }

    /// Returns a report on the next `count` frames that are due.
    func watch(_ count: Int) async -> Punctuality.Report {
        let before = player.counters
        let delays = await punctuality.next(count)
        var report = Punctuality.Report(delays)
        report.dropped = player.counters.framesDropped - before.framesDropped
        return report
    }

    func end() async {
        layer.player = nil
        await player.shutdown()
    }
}

/// Records how long after its due time each frame arrives at a sink, on the player's clock.
final class Punctuality: Sendable {
    /// The delay of one frame.
    struct Delay {
        /// Nanoseconds after the frame's due time.
        var late: Int64
        /// Nanoseconds between the frame's due time and that of the next frame.
        var length: Int64
    }

    /// A summary of the frames that were due during a measurement.
    struct Report {
        var frames: Int
        /// The number of frames that arrived before the next one was due.
        var inTime: Int
        /// The number of frames that the player dropped.
        var dropped = 0
        /// The median and the maximum lateness in milliseconds.
        var median, worst: Double

        init(_ delays: [Delay]) {
            frames = delays.count
            inTime = delays.count { $0.late < $0.length }
            let sorted = delays.map { Double($0.late) / 1e6 }.sorted()
            median = sorted.isEmpty ? 0 : sorted[sorted.count / 2]
            worst = sorted.last ?? 0
        }
    }

    private struct State {
        var delays: [Delay] = []
        var wanted = 0
        /// The time of the previous frame, in nanoseconds of the item's timeline.
        var last: Int64?
        var done: CheckedContinuation<[Delay], Never>?
    }

    private let timebase: Timebase
    private let state = Mutex(State())

    init(_ timebase: Timebase) { self.timebase = timebase }

    /// Waits for the next `count` frames and returns their delays. A dropped frame counts as late.
    func next(_ count: Int) async -> [Delay] {
        await withCheckedContinuation { continuation in
            state.withLock { $0 = State(wanted: count, done: continuation) }
        }
    }

    func note(_ frame: VideoFrame) {
        let now = timebase.hostTime
        guard let now, let due = timebase.hostTime(atTime: frame.presentationTime),
            let length = frame.duration.nanoseconds, let time = frame.presentationTime.nanoseconds
        else { return }
        let finished: (() -> Void)? = state.withLock { state in
            guard state.done != nil else { return nil }
            // Add an entry for each frame that the player dropped between the two.
            if let last = state.last, length > 0 {
                let missing = Int((time - last + length / 2) / length) - 1
                for _ in 0..<max(0, missing) { state.delays.append(Delay(late: .max, length: length)) }
            }
            state.last = time
            state.delays.append(Delay(late: now.nanoseconds(since: due), length: length))
            guard state.delays.count >= state.wanted else { return nil }
            let delays = Array(state.delays.prefix(state.wanted))
            let done = state.done
            state.done = nil
            return { done?.resume(returning: delays) }
        }
        finished?()
    }
}
