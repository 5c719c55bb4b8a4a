import Foundation
import Playhead
import Synchronization

/// A player without sound, and a sink that notes how late each frame comes.
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

    /// Returns when thirty frames have been shown: what begins is no longer under way.
    func start() async {
        player.play()
        _ = await punctuality.next(30)
    }

    /// What came of the next frames: `count` of those that are due from here on.
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

/// Notes how long after its due time each frame comes to a sink, on the clock of its player.
final class Punctuality: Sendable {
    /// A frame that came.
    struct Delay {
        /// Nanoseconds behind the moment when it was due.
        var late: Int64
        /// Nanoseconds between that moment and the one of the next frame.
        var length: Int64
    }

    /// What came of the frames that were due while somebody watched.
    struct Report {
        var frames: Int
        /// They came before the next one was due.
        var inTime: Int
        /// The player did not show them.
        var dropped = 0
        /// Milliseconds.
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
        /// When the frame before was due, in nanoseconds of the item's time.
        var last: Int64?
        var done: CheckedContinuation<[Delay], Never>?
    }

    private let timebase: Timebase
    private let state = Mutex(State())

    init(_ timebase: Timebase) { self.timebase = timebase }

    /// One that the player leaves out counts as one that did not come in time.
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
            // What the player left out between two has its place, too.
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
