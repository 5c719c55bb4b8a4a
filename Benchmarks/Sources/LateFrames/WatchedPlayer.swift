import Foundation
import Playhead
import Synchronization

/// A player that loops, without sound, and a sink that looks when frames come.
struct WatchedPlayer {
    let player: Player
    let layer: PlayerLayer
    private let punctuality: Punctuality

    init(_ url: URL) {
        var configuration = Player.Configuration()
        configuration.audio = .none
        player = Player(playerItem: PlayerItem(url: url), configuration: configuration)
        player.repeatMode = .loop
        layer = PlayerLayer(player: player)
        punctuality = Punctuality(player)
        layer.add(CallbackVideoSink { [punctuality] in punctuality.note($0) })
    }

    func beginCounting() { punctuality.begin() }
    func endCounting() -> Punctuality.Count { punctuality.end() }
}

/// Of the frames that came to a sink, how many were in time.
final class Punctuality: Sendable {
    struct Count: CustomStringConvertible {
        var frames = 0
        var inTime = 0
        /// Of the player: it did not show them.
        var dropped = 0
        /// Of the player: shown more than 8 ms after they were due.
        var late = 0
        /// In seconds.
        var worst = 0.0

        mutating func add(_ other: Count) {
            frames += other.frames
            inTime += other.inTime
            dropped += other.dropped
            late += other.late
            worst = max(worst, other.worst)
        }

        var description: String {
            let due = frames + dropped
            let delay = String(format: "%.1f", worst * 1000)
            return
                "\(inTime) of \(due) in time, worst \(delay) ms; dropped \(dropped), over 8 ms late \(late)"
        }
    }

    private struct State {
        var count: Count?
        var before = PlaybackCounters()
    }

    private let player: @Sendable () -> Player?
    private let state = Mutex(State())

    /// The player is not kept alive: it has the sink that this serves.
    init(_ player: Player) { self.player = { [weak player] in player } }

    func begin() {
        guard let before = player()?.counters else { return }
        state.withLock { $0 = State(count: Count(), before: before) }
    }

    func end() -> Count {
        guard let after = player()?.counters else { return Count() }
        return state.withLock { state in
            defer { state.count = nil }
            guard var count = state.count else { return Count() }
            count.dropped = after.framesDropped - state.before.framesDropped
            count.late = after.framesLate - state.before.framesLate
            return count
        }
    }

    func note(_ frame: VideoFrame) {
        guard let now = player()?.currentTime() else { return }
        let duration = frame.duration.isNumeric ? frame.duration.seconds : 1 / 30
        // At the seam of a loop time begins anew, perhaps before the last frame is here.
        let delay = max(0, (now - frame.presentationTime).seconds)
        state.withLock { state in
            guard state.count != nil else { return }
            state.count?.frames += 1
            if delay < duration { state.count?.inTime += 1 }
            state.count?.worst = max(state.count?.worst ?? 0, delay)
        }
    }
}
