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
    }

    private var pass: Pass?
    private var isPlaying = false

    /// Handles an event.
    ///
    /// - Parameters:
    ///   - event: An event of the player.
    ///   - current: The item that is current after the event, or nil.
    ///   - moment: When the event happened.
    ///   - isCut: Whether the range that the item plays ends before the item, for a reason of the session.
    ///   - name: Returns the name of an item.
    /// - Returns: The record of the pass that the event has ended, or nil.
    mutating func handle(
        _ event: PlayerEvent,
        current: PlayerItem?,
        at moment: Moment,
        isCut: Bool = false,
        name: (PlayerItem) -> String
    ) -> PassRecord? {
        switch event {
        case .currentItemChanged(let item):
            // An item that is removed has its own event before.
            pass = item.map { begin($0, name, moment) }
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
            guard pass?.item == ObjectIdentifier(item) else { break }
            switch outcome {
            case .playedToEnd: return end(.end, at: moment, isCut: isCut)
            case .replaced, .stopped: return end(.stopped, at: moment)
            case .failed(let error):
                // The session decides whether an item that was not played has a line.
                guard hasPlayed(item, until: moment.host) else {
                    pass = nil
                    break
                }
                return end(.failed, at: moment, error: error)
            }
        default: break
        }
        return nil
    }

    /// Whether an item has been played in its current pass.
    func hasPlayed(_ item: PlayerItem, until host: HostTime) -> Bool {
        guard let pass, pass.item == ObjectIdentifier(item) else { return false }
        let last = pass.playingSince.map { Self.duration($0, host) } ?? .zero
        return pass.played + last >= .milliseconds(1)
    }

    /// Ends the pass because the command ends.
    mutating func quit(at moment: Moment) -> PassRecord? { end(.quit, at: moment) }

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
        } else if !isPlaying, let since = changed.playingSince {
            changed.played += Self.duration(since, moment.host)
            changed.playingSince = nil
        }
        pass = changed
    }

    private mutating func end(
        _ reason: PassRecord.Reason,
        at moment: Moment,
        isCut: Bool = false,
        error: PlaybackError? = nil
    ) -> PassRecord? {
        guard let ended = pass else { return nil }
        pass = nil
        let last = ended.playingSince.map { Self.duration($0, moment.host) } ?? .zero
        return PassRecord(
            begin: ended.begin,
            end: moment.utc,
            item: ended.name,
            played: ended.played + last,
            reason: reason,
            isWhole: reason == .end && !ended.hasJumped && !isCut,
            droppedFrames: max(0, moment.droppedFrames - ended.droppedFrames),
            error: error.map { oneLine($0.message) }
        )
    }

    private static func duration(_ start: HostTime, _ end: HostTime) -> Duration {
        .nanoseconds(max(0, end.nanoseconds - start.nanoseconds))
    }
}
