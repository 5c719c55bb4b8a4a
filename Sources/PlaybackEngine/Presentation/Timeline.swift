package import MediaCore

/// Maps host time to timeline time by one anchor. Nothing else computes "now".
///
/// The timeline runs on through loops and queue items. `PassOrigin` tells where on it a pass of an item lies.
package struct Timeline: Hashable, Sendable {
    private struct Anchor: Hashable, Sendable {
        var host: HostTime
        var media: TimelineTime
        var rate: PlaybackRate
        /// Time passes faster than `rate` by so many millionths, to keep in step with a device.
        var correction: Int64 = 0
        var epoch: Epoch

        var pace: PlaybackRate { rate.corrected(by: correction) }

        /// The anchor of the line behind `change`, which lies ahead of this one.
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
        /// Later changes that this one cancels, in order.
        var cancelled: [RateChange] = []
    }

    private var anchor: Anchor
    /// They lie ahead of the anchor, in order.
    private var changes: [RateChange] = []

    package init(epoch: Epoch = Epoch()) {
        anchor = Anchor(host: .zero, media: .zero, rate: .stopped, epoch: epoch)
    }

    /// The rate that was set last, without corrections. It may take effect later; see `changeRate`.
    package var rate: PlaybackRate { changes.last?.rate ?? anchor.rate }
    package var isRunning: Bool { !anchor.rate.isStopped }
    /// Before this it stands still, whatever the rate is.
    var begin: HostTime { anchor.host }
    package var epoch: Epoch { anchor.epoch }

    /// Stands at `media` from now on, in a new epoch. What is asked for an old epoch is answered with nil.
    package mutating func jump(to media: TimelineTime, epoch: Epoch, at host: HostTime) {
        anchor = Anchor(host: host, media: media, rate: .stopped, epoch: epoch)
        changes = []
    }

    /// Goes on at another rate from where it is. A start that lies ahead stays where it is.
    package mutating func setRate(_ rate: PlaybackRate, at host: HostTime) {
        let media = media(at: host)
        let start = isRunning && !rate.isStopped ? max(host, anchor.host) : host
        anchor = Anchor(host: start, media: media, rate: rate, epoch: anchor.epoch)
        changes = []
    }

    /// Goes on at another rate from `media` on, which is still to come. Only forward and while running. Changes
    /// that were to come later are cancelled.
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

    /// The last rate change takes effect at another time, unless it has taken effect. Changes that it had cancelled
    /// and that come before the new time take effect after all.
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

    /// Runs so many millionths faster than its rate from now on; below zero: slower.
    package mutating func correct(by millionths: Int64, epoch: Epoch, at host: HostTime) {
        guard epoch == anchor.epoch, isRunning, millionths != anchor.correction else { return }
        move(to: host)
        anchor.correction = millionths
    }

    /// Stands still for so many nanoseconds of host time and then goes on.
    package mutating func hold(for nanoseconds: Int64, epoch: Epoch, at host: HostTime) {
        guard epoch == anchor.epoch, isRunning, nanoseconds > 0 else { return }
        move(to: host)
        anchor.host = anchor.host.advanced(by: nanoseconds)
    }

    /// Leaps so many nanoseconds on in its direction; it never goes back. If it stands still for a while, that is
    /// cut short first.
    package mutating func step(by nanoseconds: Int64, epoch: Epoch, at host: HostTime) {
        guard epoch == anchor.epoch, isRunning, nanoseconds > 0 else { return }
        let waiting = min(nanoseconds, max(0, anchor.host.nanoseconds(since: host)))
        anchor.host = anchor.host.advanced(by: -waiting)
        move(to: host)
        let leap = nanoseconds - waiting
        anchor.media = anchor.media + (anchor.rate.millionths < 0 ? -leap : leap)
        passChanges()
    }

    /// Moves the anchor along the line to `host`, unless the line does not run before later.
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

    /// The straight piece of the line that `host` lies on.
    private func piece(at host: HostTime) -> Anchor {
        var piece = anchor
        for change in changes {
            guard let next = piece.after(change), next.host <= host else { break }
            piece = next
        }
        return piece
    }

    /// The time at `host`. Before the anchor the timeline stands still; it does not run back.
    package func media(at host: HostTime) -> TimelineTime { Self.media(of: piece(at: host), at: host) }

    private static func media(of piece: Anchor, at host: HostTime) -> TimelineTime {
        piece.media + piece.pace.mediaTime(for: max(0, host.nanoseconds(since: piece.host)))
    }

    /// The time at `host` as if the timeline had never stood still: before the anchor the line is drawn on
    /// backward. nil when `epoch` is not the timeline's.
    package func line(at host: HostTime, epoch: Epoch) -> TimelineTime? {
        guard epoch == anchor.epoch else { return nil }
        guard host < anchor.host else { return media(at: host) }
        return anchor.media + anchor.pace.mediaTime(for: host.nanoseconds(since: anchor.host))
    }

    /// When `media` is reached; nil while standing still. A time that is passed, or lies the other way, gets the
    /// host time of the anchor.
    package func host(for media: TimelineTime) -> HostTime? {
        var piece = anchor
        for change in changes where change.media <= media { piece = piece.after(change) ?? piece }
        let (distance, overflow) = media.nanoseconds.subtractingReportingOverflow(piece.media.nanoseconds)
        guard !overflow, isRunning else { return nil }
        if distance == 0 || (distance < 0) == (piece.rate.millionths > 0) { return piece.host }
        return piece.pace.hostTime(for: distance).map { piece.host.advanced(by: $0) }
    }
}
