import Playhead
import Synchronization
import WindowSink

extension PlaySession {
    /// On the callback queue, in causal order.
    func take(_ timed: TimedPlayerEvent) {
        guard !state.withLock({ $0.isOver }), tell(timed) else { return }
        switch timed.event {
        case .timeControlStatusChanged(let status, _):
            let isOver = state.withLock { state in
                state.timeControl = status
                return state.isStopping && status == .paused
            }
            if isOver { finish() }
        case .repeatModeChanged(let mode): state.withLock { $0.repeatMode = mode }
        case .interruptionBegan: notice("the sound server asks for quiet")
        case .currentItemChanged(let item):
            wentOn(to: item)
            showTitle()
        case .itemStatusChanged(let item, .readyToPlay):
            becameReady(item)
            lookAhead()
        case .readyForDisplayChanged(let item, true):
            state.withLock { if $0.current?.item === item { $0.current?.hasShown = true } }
        case .rateChanged(_, 0, .itemEnded), .rateChanged(_, 0, .itemFailed): stoodStill()
        case .itemStatusChanged(let item, .failed): inputFailed(item, item.error)
        // What there was has been played.
        case .failedToPlayToEndTime(let item, let error): inputFailed(item, error, at: timed.itemTime)
        case .didPlayToEndTime(let item): passEnded(item, at: timed.itemTime)
        case .sinkFailed(let error): sinkFailed(error)
        case .errorLogEntry(let item, let entry):
            guard entry.isRecovered, let index = index(of: item) else { break }
            let words = reason(entry.error)
            guard entry.error.code == .hardwareUnavailable ? mayTellOfHardware(words) : options.isVerbose
            else {
                break
            }
            Console.shared.printError("warning: \(options.inputs[index].name): \(words)")
        default: break
        }
    }

    /// Once for each reason, however many inputs and passes there are.
    private func mayTellOfHardware(_ words: String) -> Bool {
        !options.isQuiet && state.withLock { $0.toldOfHardware.insert(words).inserted }
    }

    /// False when nobody listens any more.
    private func tell(_ timed: TimedPlayerEvent) -> Bool {
        guard options.events != .none else { return true }
        let record = EventRecord(timed.event)
        let item = state.withLock { state in
            // The item that the lines so far have named, so that they tell the same story in every run.
            if case .currentItemChanged(let item) = timed.event { state.toldItem = item }
            return record.item ?? state.toldItem
        }
        return write(record, at: timed.itemTime, item)
    }

    /// Words as they come due, among the events.
    func reportText(of item: PlayerItem) {
        let output = LegibleOutput()
        output.setHandler { [weak self, weak item] notice in
            guard let self, let item, !state.withLock({ $0.isOver }) else { return }
            switch notice {
            case .sequenceWasFlushed: _ = write(.flushedCues, at: item.currentTime(), item)
            case .cues(let cues, let time):
                for cue in cues { _ = write(EventRecord(cue), at: time, item) }
            }
        }
        item.add(output)
    }

    private func write(_ record: EventRecord, at time: MediaTime, _ item: PlayerItem?) -> Bool {
        let index = item.flatMap { self.index(of: $0) }
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

    private func index(of item: PlayerItem) -> Int? {
        state.withLock { state in
            [state.current, state.previous, state.next].compactMap(\.self).first { $0.item === item }?.index
        }
    }

    /// An output that failed makes the rest pointless, so playing ends. A window that nobody asked for can be missed.
    private func sinkFailed(_ error: PlaybackError) {
        if options.hasAutomaticWindow, let failure = error.underlying as? WindowError {
            options.warnOfMissingWindow(failure)
            // A sink that is gone counts no pictures any more.
            if options.frames != nil { stop() }
            return
        }
        state.withLock { $0.sinkHasFailed = true }
        switch SinkFailure(error.underlying ?? error) {
        case .closedPipe: finish(.closedPipe)
        case .sentence(let words):
            fail(words)
            stop()
        }
    }
}
