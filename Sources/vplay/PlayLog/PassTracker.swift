import PlayheadCore

/// Turns player events into the records of passes. A value without clocks: times are passed in.
struct PassTracker {
    /// What is known about the moment of an event.
    struct Moment {
        let utc: UTCTime
        /// The time on the player's clock.
        let host: HostTime
        /// The number of dropped frames of the player so far.
        let droppedFrames: Int
    }

    private struct Pass {
        let item: ObjectIdentifier
        let name: String
        var begin: UTCTime
        var droppedFrames: Int
        /// Whether it has played at all.
        var hasPlayed = false
        var hasJumped = false
        var played = Duration.zero
        /// The time since which it plays without interruption.
        var playingSince: HostTime?
        /// When another item interrupted it, or nil if its item is current.
        var interruption: Moment?

        /// Returns how long the item has played until a time.
        func playedTime(until host: HostTime) -> Duration {
            let last = playingSince.map { Duration.nanoseconds(max(0, host.nanoseconds - $0.nanoseconds)) }
            return played + (last ?? .zero)
        }

        /// Stops counting because another item interrupts this one.
        mutating func interrupt(at moment: Moment) {
            played = playedTime(until: moment.host)
            playingSince = nil
            interruption = moment
        }

        /// Continues after an interruption, whose dropped frames are not those of the pass.
        mutating func resume(at moment: Moment) {
            guard let start = interruption else { return }
            droppedFrames += moment.droppedFrames - start.droppedFrames
            interruption = nil
        }
    }

    /// The pass of the current item.
    private var pass: Pass?
    /// The pass of the item that the current one has interrupted.
    private var interruptedPass: Pass?
    /// The last item that the session has rejected.
    private weak var rejectedItem: PlayerItem?
    /// The item whose pass ends, with the command, where `--duration` does.
    private weak var cutItem: PlayerItem?
    private var isPlaying = false

    /// Handles an event.
    ///
    /// - Parameters:
    ///   - event: An event of the player.
    ///   - current: The item that is current after the event, or nil.
    ///   - moment: When the event happened.
    ///   - isCut: Whether the range that the item plays ends before the item, for a reason of the session.
    ///   - isResumed: Returns whether the first pass of an item begins at a saved position.
    ///   - name: Returns the name of an item.
    /// - Returns: The record of the pass that the event has ended, or nil.
    mutating func handle(
        _ event: PlayerEvent,
        current: PlayerItem?,
        at moment: Moment,
        isCut: Bool = false,
        isResumed: (PlayerItem) -> Bool = { _ in false },
        name: (PlayerItem) -> String
    ) -> PassRecord? {
        switch event {
        case .currentItemChanged(let item):
            changeItem(to: item, name, moment)
            if let item, isResumed(item), pass?.hasPlayed == false { pass?.hasJumped = true }
        case .timeControlStatusChanged(let status, _):
            isPlaying = status == .playing
            if pass == nil, isPlaying, let current { pass = begin(current, name, moment) }
            setPlaying(at: moment)
        case .timeJumped(let item, _):
            // The next pass of a loop, or a seek away from the end.
            if pass == nil, item === current { pass = begin(item, name, moment) }
        case .seekCompleted(let item, true):
            if pass?.item == ObjectIdentifier(item), pass?.hasPlayed == true { pass?.hasJumped = true }
        case .passEnded(let item, let outcome):
            guard let ended = removePass(of: item), item !== rejectedItem else { break }
            switch outcome {
            case .playedToEnd: return record(of: ended, .end, at: moment, isCut: isCut)
            case .replaced, .stopped: return record(of: ended, .stopped, at: moment)
            case .failed(let error):
                // The session decides whether an item that was not played has a line.
                guard hasPlayed(ended, until: moment.host) else { break }
                return record(of: ended, .failed, at: moment, error: error)
            }
        default: break
        }
        return nil
    }

    /// Records that an item cannot be played although it has been opened. Its fault has a line, and its pass has none.
    mutating func reject(_ item: PlayerItem) { rejectedItem = item }

    /// Records that an item has been played to the end of `--duration`, where it does not end itself.
    mutating func noteRangeEnd(of item: PlayerItem) { cutItem = item }

    /// Whether an item has been played in its current pass.
    func hasPlayed(_ item: PlayerItem, until host: HostTime) -> Bool {
        guard let pass, pass.item == ObjectIdentifier(item) else { return false }
        return hasPlayed(pass, until: host)
    }

    private func hasPlayed(_ pass: Pass, until host: HostTime) -> Bool {
        pass.playedTime(until: host) >= .milliseconds(1)
    }

    /// Ends all passes because the command ends.
    ///
    /// - Returns: The record of the interrupted pass, if any, and that of the current one.
    mutating func quit(at moment: Moment) -> [PassRecord] {
        defer { (interruptedPass, pass) = (nil, nil) }
        let rejected = rejectedItem.map { ObjectIdentifier($0) }
        let cut = cutItem.map { ObjectIdentifier($0) }
        return [interruptedPass, pass].compactMap(\.self).filter { $0.item != rejected }
            .map { record(of: $0, $0.item == cut ? .end : .quit, at: moment, isCut: true) }
    }

    /// Begins the pass of another item, or continues the one that was interrupted.
    private mutating func changeItem(
        to item: PlayerItem?,
        _ name: (PlayerItem) -> String,
        _ moment: Moment
    ) {
        // The pass of an item that is removed has ended before, so one that is left is interrupted.
        if var left = pass {
            left.interrupt(at: moment)
            interruptedPass = left
        }
        guard let item else {
            pass = nil
            return
        }
        guard var continued = interruptedPass, continued.item == ObjectIdentifier(item) else {
            pass = begin(item, name, moment)
            return
        }
        interruptedPass = nil
        continued.resume(at: moment)
        pass = continued
        setPlaying(at: moment)
    }

    /// Removes the pass of an item, which may be interrupted.
    private mutating func removePass(of item: PlayerItem) -> Pass? {
        let id = ObjectIdentifier(item)
        if let ended = pass, ended.item == id {
            pass = nil
            return ended
        }
        guard let ended = interruptedPass, ended.item == id else { return nil }
        interruptedPass = nil
        return ended
    }

    private func begin(_ item: PlayerItem, _ name: (PlayerItem) -> String, _ moment: Moment) -> Pass {
        Pass(
            item: ObjectIdentifier(item),
            name: name(item),
            begin: moment.utc,
            droppedFrames: moment.droppedFrames,
            hasPlayed: isPlaying,
            playingSince: isPlaying ? moment.host : nil
        )
    }

    private mutating func setPlaying(at moment: Moment) {
        guard var changed = pass else { return }
        if isPlaying, changed.playingSince == nil {
            // The pass begins when the item is first played, not when it begins to open.
            if !changed.hasPlayed {
                changed.begin = moment.utc
                changed.droppedFrames = moment.droppedFrames
            }
            changed.hasPlayed = true
            changed.playingSince = moment.host
        } else if !isPlaying {
            changed.played = changed.playedTime(until: moment.host)
            changed.playingSince = nil
        }
        pass = changed
    }

    private func record(
        of ended: Pass,
        _ reason: PassRecord.Reason,
        at moment: Moment,
        isCut: Bool = false,
        error: PlaybackError? = nil
    ) -> PassRecord {
        let dropped = (ended.interruption ?? moment).droppedFrames - ended.droppedFrames
        return PassRecord(
            begin: ended.begin,
            end: moment.utc,
            item: ended.name,
            played: ended.playedTime(until: moment.host),
            reason: reason,
            isWhole: reason == .end && !ended.hasJumped && !isCut,
            droppedFrames: max(0, dropped),
            error: error.map { oneLine($0.message) }
        )
    }
}
