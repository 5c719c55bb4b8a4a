import Dispatch
import Foundation
import Playhead
import Synchronization

/// "01:23 / 04:56 [=====>      ] 1.0x dropped 0" on standard error, at most ten times a second.
enum StatusLine {
    static func show(for player: Player) -> TimeObserver {
        let tenth = MediaTime(value: 1, timescale: 10)
        let pace = Pace()
        return player.addPeriodicTimeObserver(forInterval: tenth) { [weak player] time in
            guard let player, pace.isDue() else { return }
            let line = text(
                time: time,
                duration: player.currentItem?.duration ?? .indefinite,
                rate: player.rate,
                dropped: player.counters.framesDropped,
                columns: TerminalMode.columns
            )
            Console.shared.showStatus(line)
        }
    }

    static func text(
        time: MediaTime,
        duration: MediaTime,
        rate: Float,
        dropped: Int,
        columns: Int
    ) -> String {
        let head = clock(time) + (duration.isNumeric ? " / \(clock(duration))" : "")
        let tail = (rate == 0 ? "paused" : "\(rate)x") + " dropped \(dropped)"
        // The bar keeps its length while the words change. A full last column would wrap on some terminals.
        let room = columns - 1 - head.utf8.count - max(tail.utf8.count, 24) - 4
        guard duration.isNumeric, duration > .zero, room >= 10 else {
            return String("\(head) \(tail)".prefix(max(0, columns - 1)))
        }
        let width = min(room, 60)
        let share = max(0, min(1, time.seconds / duration.seconds))
        let done = Int(share * Double(width - 1))
        let bar = String(repeating: "=", count: done) + ">" + String(repeating: " ", count: width - 1 - done)
        return "\(head) [\(bar)] \(tail)"
    }

    /// "04:56" or "1:02:03".
    private static func clock(_ time: MediaTime) -> String {
        let seconds = max(0, (time.nanoseconds ?? 0) / 1_000_000_000)
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        return (hours > 0 ? "\(hours):" : "") + String(format: "%02lld:%02lld", minutes, seconds % 60)
    }
}

/// Keeps to the pace whatever the rate of play.
private final class Pace: Sendable {
    private let time = Mutex(DispatchTime(uptimeNanoseconds: 0))

    func isDue() -> Bool {
        time.withLock { last in
            let now = DispatchTime.now()
            guard now.uptimeNanoseconds &- last.uptimeNanoseconds >= 100_000_000 else { return false }
            last = now
            return true
        }
    }
}
