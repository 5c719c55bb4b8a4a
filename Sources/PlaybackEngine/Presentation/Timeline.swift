package import MediaCore

/// The map from host time to timeline time. It has one anchor, and nothing else computes the current time.
///
/// The timeline continues through loops and queue items. `PassOrigin` gives the position of an item's pass on it.
package struct Timeline: Hashable, Sendable {
    private struct Anchor: Hashable, Sendable {
        var host: HostTime
        var media: TimelineTime
        var rate: PlaybackRate
        /// The correction in millionths by which time passes faster than `rate`, to stay synchronized with an audio
        /// device.
        var correction: Int64 = 0
        var epoch: Epoch

        var pace: PlaybackRate { rate.corrected(by: correction) }

        /// Returns the anchor that applies after `change`, which is later than this one.
        func after(_ change: RateChange) -> Anchor? {
            guard let distance = pace.hostTime(for: change.media - media) else { return nil }
            var next = self
            next.host = host.advanced(by: distance)
            next.media = change.media
            next.rate = change.rate
            return next
        }
    }

    /// A rate change that takes effect at a timeline time.
    private struct RateChange: Hashable, Sendable {
        var media: TimelineTime
        var rate: PlaybackRate
        /// The later changes that this one cancels, in order.
        var cancelled: [RateChange] = []
    }

    private var anchor: Anchor
    /// The rate changes after the anchor, in order.
    private var changes: [RateChange] = []

    package init(epoch: Epoch = Epoch()) {
        anchor = Anchor(host: .zero, media: .zero, rate: .stopped, epoch: epoch)
    }

    /// The rate that was set last, without corrections. It may take effect later; see `changeRate`.
    package var rate: PlaybackRate { changes.last?.rate ?? anchor.rate }
    package var isRunning: Bool { !anchor.rate.isStopped }
    /// The host time before which the timeline is stopped, whatever its rate is.
    var begin: HostTime { anchor.host }
    package var epoch: Epoch { anchor.epoch }

    /// Stops at `media`, in a new epoch. Requests for an old epoch are ignored from now on.
    package mutating func jump(to media: TimelineTime, epoch: Epoch, at host: HostTime) {
        anchor = Anchor(host: host, media: media, rate: .stopped, epoch: epoch)
        changes = []
    }

    /// Continues at another rate from the current time. A start in the future is kept.
    package mutating func setRate(_ rate: PlaybackRate, at host: HostTime) {
        let media = media(at: host)
        let start = isRunning && !rate.isStopped ? max(host, anchor.host) : host
        anchor = Anchor(host: start, media: media, rate: rate, epoch: anchor.epoch)
        changes = []
    }

    /// Schedules a change to another rate at `media`, a time in the future, and cancels changes scheduled after it.
    /// If the timeline is stopped or runs backward, the rate changes at once.
    package mutating func changeRate(at media: TimelineTime, to rate: PlaybackRate, at host: HostTime) {
        guard anchor.rate.millionths > 0, rate.millionths > 0 else { return setRate(rate, at: host) }
        move(to: host)
        guard media > anchor.media else {
            anchor.rate = rate
            changes = []
            return
        }
        let first = changes.firstIndex { $0.media >= media } ?? changes.endIndex
        let change = RateChange(media: media, rate: rate, cancelled: Array(changes[first...]))
        changes = changes[..<first] + [change]
    }

    /// Returns whether a scheduled rate change has not taken effect at `host`.
    func changesRate(after host: HostTime) -> Bool {
        changes.last.map { media(at: host) < $0.media } ?? false
    }

    /// Moves the last rate change to another time, unless it has taken effect. Changes that it had cancelled and that
    /// precede the new time apply again.
    package mutating func moveRateChange(
        from old: TimelineTime,
        to media: TimelineTime,
        epoch: Epoch,
        at host: HostTime
    ) {
        guard epoch == anchor.epoch, let last = changes.last, last.media == old else { return }
        move(to: host)
        guard !changes.isEmpty else { return }
        changes = changes.dropLast() + last.cancelled
        changeRate(at: media, to: last.rate, at: host)
    }

    /// Sets a correction of the speed in millionths, where negative values slow the timeline down.
    package mutating func correct(by millionths: Int64, epoch: Epoch, at host: HostTime) {
        guard epoch == anchor.epoch, isRunning, millionths != anchor.correction else { return }
        move(to: host)
        anchor.correction = millionths
    }

    /// Stops for `nanoseconds` of host time and then continues.
    package mutating func hold(for nanoseconds: Int64, epoch: Epoch, at host: HostTime) {
        guard epoch == anchor.epoch, isRunning, nanoseconds > 0 else { return }
        move(to: host)
        anchor.host = anchor.host.advanced(by: nanoseconds)
    }

    /// Advances by `nanoseconds` in the timeline's direction; it never goes back. A hold that has not ended is
    /// shortened first.
    package mutating func step(by nanoseconds: Int64, epoch: Epoch, at host: HostTime) {
        guard epoch == anchor.epoch, isRunning, nanoseconds > 0 else { return }
        let waiting = min(nanoseconds, max(0, anchor.host.nanoseconds(since: host)))
        anchor.host = anchor.host.advanced(by: -waiting)
        move(to: host)
        let leap = nanoseconds - waiting
        anchor.media = anchor.media + (anchor.rate.millionths < 0 ? -leap : leap)
        passChanges()
    }

    /// Moves the anchor along the timeline to `host`, unless the timeline starts later.
    private mutating func move(to host: HostTime) {
        let host = max(host, anchor.host)
        let piece = piece(at: host)
        anchor = piece
        anchor.media = Self.media(of: piece, at: host)
        anchor.host = host
        passChanges()
    }

    private mutating func passChanges() {
        while let change = changes.first, change.media <= anchor.media {
            anchor.rate = change.rate
            changes.removeFirst()
        }
    }

    /// Returns the linear segment of the timeline that contains `host`.
    private func piece(at host: HostTime) -> Anchor {
        var piece = anchor
        for change in changes {
            guard let next = piece.after(change), next.host <= host else { break }
            piece = next
        }
        return piece
    }

    /// Returns the time at `host`. Before the anchor the timeline is stopped; it does not run back.
    package func media(at host: HostTime) -> TimelineTime { Self.media(of: piece(at: host), at: host) }

    private static func media(of piece: Anchor, at host: HostTime) -> TimelineTime {
        piece.media + piece.pace.mediaTime(for: max(0, host.nanoseconds(since: piece.host)))
    }

    /// Returns the time at `host` as if the timeline had never been stopped, by extrapolating before the anchor.
    /// Returns nil if `epoch` is not the timeline's.
    package func line(at host: HostTime, epoch: Epoch) -> TimelineTime? {
        guard epoch == anchor.epoch else { return nil }
        guard host < anchor.host else { return media(at: host) }
        return anchor.media + anchor.pace.mediaTime(for: host.nanoseconds(since: anchor.host))
    }

    /// Returns the host time at which `media` is reached, or nil while the timeline is stopped. For a time that has
    /// passed, or that lies in the other direction, returns the anchor's host time.
    package func host(for media: TimelineTime) -> HostTime? {
        var piece = anchor
        for change in changes where change.media <= media { piece = piece.after(change) ?? piece }
        let (distance, overflow) = media.nanoseconds.subtractingReportingOverflow(piece.media.nanoseconds)
        guard !overflow, isRunning else { return nil }
        if distance == 0 || (distance < 0) == (piece.rate.millionths > 0) { return piece.host }
        return piece.pace.hostTime(for: distance).map { piece.host.advanced(by: $0) }
    }
}
