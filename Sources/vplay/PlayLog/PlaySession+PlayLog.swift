import FoundationEssentials
import PlayheadCore
import Synchronization

extension PlaySession {
    /// Returns the play log of `--play-log`, or nil.
    static func makePlayLog(_ options: PlayOptions) -> PlayLog? {
        options.service.playLog.map { path in
            PlayLog(PlayLogFile(path: path)) { sentence in
                if !options.isQuiet { Console.shared.printError("warning: \(sentence)") }
            }
        }
    }

    /// Records the passes that events begin and end.
    func logPass(_ timed: TimedPlayerEvent) {
        guard let playLog else { return }
        let moment = passMoment(timed.hostTime)
        let record = passes.withLock { passes in
            passes.handle(
                timed.event,
                current: player.currentItem,
                at: moment,
                isCut: isCut(timed),
                isResumed: { playback(of: $0)?.isResumed == true },
                name: { playback(of: $0)?.entry.input.logName ?? $0.asset.url.lastPathComponent }
            )
        }
        if let record { playLog.append(record) }
    }

    /// Records an entry that cannot be played. It is called once for each fault, and not for each lap of a loop.
    func logFailure(of entry: PlaylistEntry, _ message: String) {
        playLog?.append(.failure(of: entry.input.logName, message, at: .now))
    }

    /// Whether an item has been played in its current pass.
    func hasPlayed(_ item: PlayerItem) -> Bool {
        passes.withLock { $0.hasPlayed(item, until: player.hostTime) }
    }

    /// Notes that `--duration` ends the current entry, whose item does not end there.
    func noteRangeEnd() {
        guard let item = state.withLock({ $0.current?.item }) else { return }
        passes.withLock { $0.noteRangeEnd(of: item) }
    }

    /// Records the passes that the end of the command ends, and waits for the disk, within limits.
    func closePlayLog() async {
        guard let playLog else { return }
        for record in passes.withLock({ $0.quit(at: passMoment(player.hostTime)) }) {
            playLog.append(record)
        }
        await playLog.close()
    }

    private func passMoment(_ hostTime: HostTime) -> PassTracker.Moment {
        PassTracker.Moment(utc: .now, host: hostTime, droppedFrames: player.counters.framesDropped)
    }

    /// Whether a pass has ended where `--duration` does, and not at the end of its item.
    private func isCut(_ timed: TimedPlayerEvent) -> Bool {
        guard options.duration != nil, case .passEnded(let item, .playedToEnd) = timed.event,
            let playback = playback(of: item), item.duration.isNumeric
        else { return false }
        let whole = playback.end.map { min($0, item.duration) } ?? item.duration
        return item.expectedEnd < whole - InputPlayback.roundingTolerance
    }
}

extension Input {
    /// The name in logs that are read later: the absolute path of a file, unchanged, or the name for messages.
    var logName: String { url.isFileURL ? url.path : name }
}
