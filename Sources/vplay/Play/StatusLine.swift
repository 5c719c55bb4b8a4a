import Dispatch
import FoundationEssentials
import Glibc
import PlayheadCore
import Synchronization

/// The status line on standard error, updated ten times a second, such as
/// "01:23 / 04:56 [=====>      ] 1.0x dropped 0  2/5 name.mp4".
final class StatusLine: Sendable {
    /// Dispatch sources may be used from any thread, although their protocol is not declared `Sendable`.
    private nonisolated(unsafe) let timer: any DispatchSourceTimer

    /// Updates the line until it is deallocated. `tick` is called before each update, also without a line (`--quiet`).
    init(for session: PlaySession, tick: @escaping @Sendable () -> Void) {
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "vplay.status"))
        timer.schedule(deadline: .now(), repeating: .milliseconds(100), leeway: .milliseconds(10))
        timer.setEventHandler { [weak session] in
            tick()
            guard let session, session.options.hasStatusLine, TerminalMode.isForeground(STDERR_FILENO)
            else { return }
            if let line = session.statusText(columns: TerminalMode.columns) {
                Console.shared.showStatus(line)
            }
        }
        timer.activate()
    }

    deinit { timer.cancel() }

    /// Returns the text of the line. `label` names the input. A nonempty `notice` replaces it, and the bar if it needs
    /// the space.
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
        // The bar keeps its length while the speed changes. A full last column would wrap on some terminals.
        let space = columns - 1 - head.utf8.count - max(tail.utf8.count, 24) - 4
        let text = notice.isEmpty ? label.cut(toColumns: max(0, space / 2 - 2)) : notice
        let available = space - (text.isEmpty ? 0 : text.columnCount + 2)
        guard duration.isNumeric, duration > .zero, available >= 10 else {
            let rest = notice.isEmpty ? [tail, label] : [notice, tail]
            let shown = rest.filter { !$0.isEmpty }.joined(separator: "  ")
            return "\(head) \(shown)".cut(toColumns: max(0, columns - 1))
        }
        let width = min(available, 60)
        let fraction = max(0, min(1, time.seconds / duration.seconds))
        let done = Int(fraction * Double(width - 1))
        let bar = String(repeating: "=", count: done) + ">" + String(repeating: " ", count: width - 1 - done)
        return "\(head) [\(bar)] \(tail)" + (text.isEmpty ? "" : "  " + text)
    }

    /// Returns a rate such as "1.0x" or "0.91x".
    static func speed(_ rate: Float) -> String {
        var digits = String(printf: "%.2f", rate)
        if digits.hasSuffix("0") { digits.removeLast() }
        return digits + "x"
    }

    /// Returns a time such as "04:56" or "1:02:03".
    private static func clock(_ time: MediaTime) -> String {
        let seconds = max(0, (time.nanoseconds ?? 0) / 1_000_000_000)
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        return (hours > 0 ? "\(hours):" : "") + String(printf: "%02lld:%02lld", minutes, seconds % 60)
    }
}

extension PlaySession {
    /// Shows a notice in the status line for two seconds, however late the line is updated. An empty text removes it.
    func notice(_ text: String) {
        state.withLock { $0.notice = (text, nil) }
    }

    /// Returns the text of the line, or nil after the end.
    fileprivate func statusText(columns: Int) -> String? {
        let active = activePlayback
        let (playback, notice, index, count) = state.withLock { state in
            let playback = state.isOver ? nil : active
            let index = playback.flatMap { state.playlist.index(of: $0.entry.id, inRound: $0.round) }
            let end = state.notice.until ?? DispatchTime.now() + .seconds(2)
            state.notice.until = end
            let notice = end > .now() ? state.notice.text : ""
            return (playback, notice, index, state.playlist.entries.count)
        }
        guard let playback else { return nil }
        let position = index.map { count > 1 ? "\($0 + 1)/\(count) " : "" } ?? ""
        return StatusLine.text(
            time: player.currentTime(),
            duration: playback.item.duration,
            rate: player.rate,
            dropped: player.counters.framesDropped,
            columns: columns,
            label: position + playback.entry.input.shortName,
            notice: notice
        )
    }
}
