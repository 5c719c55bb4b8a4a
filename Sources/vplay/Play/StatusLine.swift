import Dispatch
import Foundation
import Playhead
import Synchronization

/// "01:23 / 04:56 [=====>      ] 1.0x dropped 0  2/5 name.mp4" on standard error, at most ten times a second.
final class StatusLine: Sendable {
    private let timer: StatusTimer

    /// As long as it lives. `tick` is called first, each time.
    init(for session: PlaySession, tick: @escaping @Sendable () -> Void) {
        let queue = DispatchQueue(label: "vplay.status")
        timer = StatusTimer(DispatchSource.makeTimerSource(queue: queue))
        timer.start { [weak session] in
            tick()
            guard let session, TerminalMode.isForeground(STDERR_FILENO) else { return }
            if let line = session.statusText(columns: TerminalMode.columns) {
                Console.shared.showStatus(line)
            }
        }
    }

    deinit { timer.cancel() }

    /// `label`: what is played; `notice` takes its place for a moment.
    static func text(
        time: MediaTime,
        duration: MediaTime,
        rate: Float,
        dropped: Int,
        columns: Int,
        label: String = "",
        notice: String = ""
    ) -> String {
        let head = clock(time) + (duration.isNumeric ? " / \(clock(duration))" : "")
        let tail = (rate == 0 ? "paused" : speed(rate)) + " dropped \(dropped)"
        // The bar keeps its length while the words change. A full last column would wrap on some terminals.
        let space = columns - 1 - head.utf8.count - max(tail.utf8.count, 24) - 4
        let words = (notice.isEmpty ? label : notice).cut(toColumns: max(0, space / 2 - 2))
        let room = space - (words.isEmpty ? 0 : words.columnCount + 2)
        guard duration.isNumeric, duration > .zero, room >= 10 else {
            let rest = [notice, tail, label].filter { !$0.isEmpty }.joined(separator: "  ")
            return "\(head) \(rest)".cut(toColumns: max(0, columns - 1))
        }
        let width = min(room, 60)
        let share = max(0, min(1, time.seconds / duration.seconds))
        let done = Int(share * Double(width - 1))
        let bar = String(repeating: "=", count: done) + ">" + String(repeating: " ", count: width - 1 - done)
        return "\(head) [\(bar)] \(tail)" + (words.isEmpty ? "" : "  " + words)
    }

    /// "1.0x", "0.91x".
    static func speed(_ rate: Float) -> String {
        var digits = String(format: "%.2f", rate)
        if digits.hasSuffix("0") { digits.removeLast() }
        return digits + "x"
    }

    /// "04:56" or "1:02:03".
    private static func clock(_ time: MediaTime) -> String {
        let seconds = max(0, (time.nanoseconds ?? 0) / 1_000_000_000)
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        return (hours > 0 ? "\(hours):" : "") + String(format: "%02lld:%02lld", minutes, seconds % 60)
    }
}

extension PlaySession {
    /// Shown in the status line for two seconds.
    func notice(_ words: String) {
        state.withLock { $0.notice = (words, .now() + .seconds(2)) }
    }

    /// nil when all is over.
    fileprivate func statusText(columns: Int) -> String? {
        let (turn, notice) = state.withLock { state in
            (state.isOver ? nil : state.current, state.notice.until > .now() ? state.notice.words : "")
        }
        guard let turn else { return nil }
        let place = options.inputs.count > 1 ? "\(turn.index + 1)/\(options.inputs.count) " : ""
        return StatusLine.text(
            time: player.currentTime(),
            duration: turn.item.duration,
            rate: player.rate,
            dropped: player.counters.framesDropped,
            columns: columns,
            label: place + options.inputs[turn.index].shortName,
            notice: notice
        )
    }
}

/// `@unchecked Sendable`: immutable, and dispatch sources may be used from any thread; only their protocol
/// does not say so.
private final class StatusTimer: @unchecked Sendable {
    private let timer: any DispatchSourceTimer

    init(_ timer: any DispatchSourceTimer) { self.timer = timer }

    func start(_ handler: @escaping @Sendable () -> Void) {
        timer.schedule(deadline: .now(), repeating: .milliseconds(100), leeway: .milliseconds(10))
        timer.setEventHandler(handler: handler)
        timer.activate()
    }

    func cancel() { timer.cancel() }
}
