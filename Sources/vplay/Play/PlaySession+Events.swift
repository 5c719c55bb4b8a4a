import FoundationEssentials
import PlayheadCore
import Synchronization
import WindowSink

extension PlaySession {
    /// Handles a player event. Events arrive on the callback queue in causal order.
    func handle(_ timed: TimedPlayerEvent) {
        guard !state.withLock({ $0.isOver }), report(timed) else { return }
        logPass(timed)
        reportReadiness(timed.event)
        publish(timed)
        defer { control?.checkLater() }
        switch timed.event {
        case .timeControlStatusChanged(let status, _):
            let isOver = state.withLock { state in
                state.timeControl = status
                return state.isStopping && status == .paused
            }
            if status == .playing {
                control?.playbackRestarted()
                noteStart(of: timed.item, at: timed.itemTime)
            }
            if isOver { finish() }
        case .timeJumped(let item, let time):
            if item === player.currentItem { control?.timeJumped(to: time) }
        case .repeatModeChanged(let mode): state.withLock { $0.repeatMode = mode }
        case .interruptionBegan: notice("paused by the audio server")
        case .currentItemChanged(let item):
            didAdvance(to: item)
            showTitle()
        case .itemStatusChanged(let item, .readyToPlay):
            didBecomeReady(item)
            // An item that follows without a gap plays already. Others are at zero until their first frame is found.
            let isPlaying = state.withLock { $0.timeControl == .playing }
            if isPlaying, timed.itemTime > .zero || item.asset.media?.chosenStart ?? .zero <= .zero {
                noteStart(of: item, at: timed.itemTime)
            }
            let (current, next) = state.withLock { ($0.current, $0.next) }
            for playback in [current, next].compactMap(\.self) where playback.item === item {
                applyTrackRequests(to: playback)
            }
            if let current, current.item === item { control?.fileLoaded(current.entry.id) }
            queueNext()
        case .readyForDisplayChanged(let item, true):
            state.withLock { if $0.current?.item === item { $0.current?.hasShown = true } }
            control?.playbackRestarted()
            reportMissingDisplay()
        case .rateChanged(_, 0, .itemEnded), .rateChanged(_, 0, .itemFailed): didStopAtEnd()
        case .itemStatusChanged(let item, .failed): inputFailed(item, item.error)
        // The input was played up to the failure.
        case .failedToPlayToEndTime(let item, let error): inputFailed(item, error, at: timed.itemTime)
        case .interstitialEnded(let item): interruptionEnded(item)
        case .didPlayToEndTime(let item): passEnded(item, at: timed.itemTime)
        case .sinkFailed(let error): sinkFailed(error)
        case .errorLogEntry(let item, let entry):
            guard entry.isRecovered, let playback = playback(of: item) else { break }
            let message = reason(entry.error)
            // A file with subtitles failed, and not the input.
            let subtitles = playback.subtitles.all.first { $0.input.url.path == entry.error.url?.path }?.input
            // Each pass may open the file again.
            let isReportedOnce =
                entry.error.code == .hardwareUnavailable || entry.error.code == .conversionFailed
                || (subtitles != nil && !options.isVerbose)
            guard isReportedOnce ? shouldReportOnce(message) : options.isVerbose else { break }
            Console.shared.printError("warning: \((subtitles ?? playback.entry.input).name): \(message)")
        default: break
        }
    }

    /// Says once where the frames of a user without a display are.
    private func reportMissingDisplay() {
        guard options.lacksDisplay, !options.isQuiet else { return }
        let isFirst = state.withLock { state in
            defer { state.hasReportedDisplay = true }
            return !state.hasReportedDisplay
        }
        guard isFirst else { return }
        Console.shared.printError("no display: frames are shown nowhere; --video terminal shows them here")
    }

    /// Returns true for the first occurrence of a reason, regardless of the number of inputs and passes.
    private func shouldReportOnce(_ reason: String) -> Bool {
        !options.isQuiet && state.withLock { $0.reportedFaults.insert(reason).inserted }
    }

    /// Writes an event for `--events`. Returns false if the output has failed.
    private func report(_ timed: TimedPlayerEvent) -> Bool {
        guard options.events != .none else { return true }
        let record = EventRecord(timed.event)
        let item = state.withLock { state in
            // Events without an item belong to the item of the last `currentItemChanged` line, in every run.
            if case .currentItemChanged(let item) = timed.event { state.reportedItem = item }
            return record.item ?? state.reportedItem
        }
        return write(record, at: timed.itemTime, item)
    }

    /// Reports cues as they become due, among the events.
    func reportText(of item: PlayerItem) {
        let output = LegibleOutput()
        output.setHandler { [weak self, weak item] notice in
            guard let self, let item, !state.withLock({ $0.isOver }) else { return }
            switch notice {
            case .sequenceWasFlushed: _ = write(.flushedCues, at: item.currentTime(), item)
            case .cues(let cues, let time):
                for cue in cues { _ = write(EventRecord(cue), at: time, item) }
            case .cuesEnded, .lost: break
            }
        }
        item.add(output)
    }

    /// Reports the cues of a file that a client adds to an item, unless those of the item are reported already.
    func reportAddedText(of item: PlayerItem) {
        guard options.events != .none, !item.outputs.contains(where: { $0 is LegibleOutput }) else { return }
        reportText(of: item)
    }

    /// Returns the index of an item in events, which is that of the lap in which the item is played.
    func reportedIndex(of item: PlayerItem) -> Int? {
        guard let playback = playback(of: item) else { return nil }
        return state.withLock { $0.playlist.index(of: playback.entry.id, inRound: playback.round) }
    }

    private func write(_ record: EventRecord, at time: MediaTime, _ item: PlayerItem?) -> Bool {
        let index = item.flatMap(reportedIndex(of:))
        do throws(OutputError) {
            switch options.events {
            case .json: try StandardOutput.write(record.jsonLine(time: time, index: index))
            case .text: try StandardOutput.write(record.textLine(time: time, index: index))
            case .none: break
            }
            return true
        } catch {
            if error.isClosedPipe {
                finish(.closedPipe)
            } else {
                fail(error.sentence)
                finish()
            }
            return false
        }
    }

    /// Ends playback if an output fails. Failure of an automatically selected window is only a warning.
    private func sinkFailed(_ error: PlaybackError) {
        if options.hasAutomaticWindow, let failure = error.underlying as? PlaybackError,
            failure.code == .displayUnavailable
        {
            options.warnOfMissingWindow(failure)
            // Without the sink, frames are no longer counted.
            if options.frames != nil { stop() }
            return
        }
        state.withLock { $0.sinkHasFailed = true }
        switch SinkFailure(error.underlying ?? error) {
        case .closedPipe: finish(.closedPipe)
        case .sentence(let message):
            fail(message)
            stop()
        }
    }
}
