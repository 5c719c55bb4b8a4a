package import MediaCore

/// The switch of the current item to other settings, such as other tracks, other ends or another variant: the item is
/// opened a second time, and the second opening replaces the first one without a gap. It is a value without clocks,
/// queues or I/O, and part of `PlaybackState`.
///
/// | situation | switch point |
/// |---|---|
/// | playing forward | ahead of what was delivered, see `SwitchPoint` |
/// | paused, waiting or backward | the current time |
/// | the second opening is late | a point farther ahead; it is not opened again, and the first one continues |
/// | paused on the way | the same point; playback reaches it later |
/// | time was stepped past the point, or the data ended before it | the current time |
/// | a seek or another opening is in progress | none; the switch begins after it |
package struct ItemSwitch: Hashable, Sendable {
    /// The settings that the second opening changes besides the item's ends.
    package struct Changes: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// A selection of tracks. It is reported even if it selects the same tracks.
        package static let tracks = Changes(rawValue: 1)
        /// Another variant of the same tracks. If it has no data at the switch point, the old one continues to play.
        package static let variant = Changes(rawValue: 2)
    }

    /// The progress of the switch.
    package enum Phase: Hashable, Sendable {
        /// The item plays with its settings.
        case idle
        /// A switch is requested but cannot begin, because a seek is under way or the item is opening.
        case pending
        /// The container is being opened a second time.
        case opening(Target)
        /// The second opening reads and decodes its first frames.
        case loading(Target)
        /// The second opening has its first frames and waits for playback to reach the switch point.
        case ready(Target)
    }

    /// The position at which the second opening takes over.
    package struct Target: Hashable, Sendable {
        package let time: ItemTime
        /// The item time at rate 1 between what had been delivered and `time`, in nanoseconds.
        let lead: Int64
    }

    /// An event of the switch.
    package enum Event: Sendable {
        /// The settings have changed, or a pending switch may begin. There is no situation while a seek is under way
        /// or the item is opening.
        case requested(Changes, Situation?)
        /// The variant that is being played is the preferred one again, and the ends are those it was opened with.
        case variantRestored
        /// The container is open.
        case opened(Situation)
        case openingFailed
        /// An update found the second opening like this. `error` is the reason why it has no frames, or nil.
        case progressed(Situation, isReady: Bool, error: MediaError?)

        // Events that `PlaybackState` derives from others.
        /// The current item was opened, with its newest ends.
        case itemOpened
        /// Playback continues at another position, or in the other direction.
        case positionChanged
        /// The item was replaced, or has failed.
        case cancelled
    }

    /// An action that the loop has to execute.
    package enum Action: Hashable, Sendable {
        /// Opens the item a second time. The second opening begins at an item time.
        case open(at: ItemTime)
        /// Makes the second opening begin at another item time.
        case move(to: ItemTime)
        /// Lets the second opening read and decode its first frames.
        case load
        /// Lets the second opening wait, because its first frames are decoded.
        case hold
        /// Makes the second opening the current item.
        case replace(selectsTracks: Bool)
        /// Closes the second opening, and reports the error if there is one.
        case discard(MediaError?)
        /// Applies the item's current ends to the epoch that begins now, so that they need no switch.
        case applyEnds
    }

    package private(set) var phase = Phase.idle
    /// The changes that are requested and not in effect. Other ends need no entry.
    private(set) var changes: Changes = []

    package init() {}

    /// The switch point, or nil if the item is not open a second time.
    package var target: Target? {
        switch phase {
        case .idle, .pending: nil
        case .opening(let target), .loading(let target), .ready(let target): target
        }
    }

    /// Handles one event.
    ///
    /// - Parameter event: What happened.
    /// - Returns: The actions to execute, in order.
    mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .requested(let new, let situation):
            changes.formUnion(new)
            guard let situation else { return end(.pending) }
            let target = situation.target(lead: SwitchPoint.lead(isLocal: situation.description.isLocal))
            return end(.opening(target)) + [.open(at: target.time)]
        case .variantRestored:
            guard changes == .variant else { return [] }
            changes = []
            return end(.idle)
        case .opened(let situation):
            guard case .opening(let target) = phase else { return [] }
            if situation.isPlayingForward, situation.time > target.time {
                return move(lead: target.lead, situation)
            }
            phase = .loading(target)
            return [.load]
        case .openingFailed:
            changes = []
            return end(.idle)
        case .progressed(let situation, let isReady, let error): return progressed(situation, isReady, error)
        case .itemOpened:
            if phase == .pending, changes.isEmpty { phase = .idle }
            return []
        case .positionChanged:
            guard phase != .idle else { return [] }
            // The new epoch applies other ends, so that they need no switch.
            return end(changes.isEmpty ? .idle : .pending) + [.applyEnds]
        case .cancelled:
            changes = []
            return end(.idle)
        }
    }

    private mutating func progressed(_ situation: Situation, _ isReady: Bool, _ error: MediaError?)
        -> [Action]
    {
        var actions: [Action] = []
        switch phase {
        case .idle, .pending, .opening: return []
        case .loading(let target):
            if situation.isStopped(outOfReachOf: target.time) { return move(lead: target.lead, situation) }
            guard isReady else { return [] }
            phase = .ready(target)
            actions = [.hold]
            // The frames for the time that has passed are not decoded, so a switch would leave a gap.
            if situation.isPlayingForward, situation.time > target.time, target.lead < SwitchPoint.maximumLead
            {
                return actions + move(lead: target.lead * 2, situation)
            }
        case .ready(let target):
            if situation.isStopped(outOfReachOf: target.time) { return move(lead: target.lead, situation) }
        }
        if let error, changes == .variant {
            changes = []
            return actions + end(.idle, error)
        }
        guard let target, situation.isReverse || situation.time >= target.time || situation.hasEnded else {
            return actions
        }
        phase = .idle
        defer { changes = [] }
        return actions + [.replace(selectsTracks: changes.contains(.tracks))]
    }

    /// Makes the second opening begin at another switch point.
    private mutating func move(lead: Int64, _ situation: Situation) -> [Action] {
        let target = situation.target(lead: lead)
        phase = .loading(target)
        return [.move(to: target.time)]
    }

    /// Continues in another phase without the second opening, if there is one.
    private mutating func end(_ next: Phase, _ error: MediaError? = nil) -> [Action] {
        defer { phase = next }
        return target == nil ? [] : [.discard(error)]
    }
}

extension ItemSwitch {
    /// The position of playback when an event occurs.
    package struct Situation: Sendable {
        /// The current item time, at least zero.
        var time: ItemTime
        /// The requested rate.
        var rate: Float
        /// A Boolean value that indicates whether the timeline runs.
        var isRunning: Bool
        var isReverse: Bool
        /// A Boolean value that indicates whether the pass has ended.
        var hasEnded: Bool
        /// A Boolean value that indicates whether the pass has ended at an end that the new settings move.
        var continuesPastEnd: Bool
        var isStalled: Bool
        /// The item time up to which media were delivered, at least `time`.
        var deliveredUntil: ItemTime
        /// The item time up to which the first opening has been read.
        var readUntil: ItemTime
        /// The end of the pass that the first opening's settings set, or nil.
        var forwardEnd: ItemTime?
        /// The description of the media to switch to, as far as it is known.
        var description: MediaDescription

        var isPlayingForward: Bool { isRunning && !isReverse }

        /// Returns whether the timeline is stopped and cannot reach `time`: it was stepped past that time, or the
        /// data ran out before it.
        func isStopped(outOfReachOf time: ItemTime) -> Bool {
            guard !isRunning, !isReverse, !hasEnded else { return false }
            return self.time > time || isStalled && self.time < time
        }

        /// Returns the position at which the second opening takes over: ahead of what is delivered, or the current
        /// time if playback does not run forward.
        func target(lead: Int64) -> Target {
            guard isPlayingForward else { return Target(time: time, lead: lead) }
            let point = SwitchPoint(lead: lead, rate: rate, description, readUntil: readUntil)
                .time(after: deliveredUntil)
            // The new settings may continue past the end that the old ones set.
            return Target(time: forwardEnd.map { min(point, max(time, $0)) } ?? point, lead: lead)
        }
    }
}
