package import MediaCore

/// Maps host time to media time by one anchor. Nothing else computes "now".
///
/// Media time here is nanoseconds on a line that runs on through loops and queue items; the renderer knows
/// where on it each pass of an item begins.
package struct Timeline: Hashable, Sendable {
    private struct Anchor: Hashable, Sendable {
        var host: HostTime
        var media: Int64
        var rate: PlaybackRate
        /// Millionths by which time passes faster than `rate`, to keep in step with a device.
        var correction: Int64 = 0
        var epoch: Epoch

        var pace: PlaybackRate { rate.corrected(by: correction) }

        /// The same line from `turn` on, which lies ahead of this.
        func turned(_ turn: Turn) -> Anchor? {
            guard let distance = pace.hostTime(for: turn.media &- media) else { return nil }
            var next = self
            next.host = host.advanced(by: distance)
            next.media = turn.media
            next.rate = turn.rate
            return next
        }
    }

    /// Another rate from a moment of the media on.
    private struct Turn: Hashable, Sendable {
        var media: Int64
        var rate: PlaybackRate
        /// Those behind it that do not come because of it, in order.
        var replaced: [Turn] = []
    }

    private var anchor: Anchor
    /// Ahead of the anchor, in order.
    private var turns: [Turn] = []

    package init(epoch: Epoch = Epoch()) {
        anchor = Anchor(host: .zero, media: 0, rate: .stopped, epoch: epoch)
    }

    /// As it was set last, without corrections; it may lie ahead, see `turn`.
    package var rate: PlaybackRate { turns.last?.rate ?? anchor.rate }
    package var isRunning: Bool { !anchor.rate.isStopped }
    package var epoch: Epoch { anchor.epoch }

    /// Stands at `media` from now on, in a new epoch: answers to the old one are nil.
    package mutating func jump(to media: Int64, epoch: Epoch, at host: HostTime) {
        anchor = Anchor(host: host, media: media, rate: .stopped, epoch: epoch)
        turns = []
    }

    /// Goes on at another rate from where it is. A start that lies ahead stays where it is.
    package mutating func setRate(_ rate: PlaybackRate, at host: HostTime) {
        let media = media(at: host)
        let start = isRunning && !rate.isStopped ? max(host, anchor.host) : host
        anchor = Anchor(host: start, media: media, rate: rate, epoch: anchor.epoch)
        turns = []
    }

    /// Goes on at another rate from `media` on, which is still to come: forward, while running. Turns that were to
    /// come behind it do not.
    package mutating func turn(at media: Int64, to rate: PlaybackRate, at host: HostTime) {
        guard anchor.rate.millionths > 0, rate.millionths > 0 else { return setRate(rate, at: host) }
        move(to: host)
        guard media > anchor.media else {
            anchor.rate = rate
            turns = []
            return
        }
        let first = turns.firstIndex { $0.media >= media } ?? turns.endIndex
        turns = turns[..<first] + [Turn(media: media, rate: rate, replaced: Array(turns[first...]))]
    }

    /// The last turn comes elsewhere, if it has not come already; those that come before it then do come.
    package mutating func moveTurn(from old: Int64, to media: Int64, epoch: Epoch, at host: HostTime) {
        guard epoch == anchor.epoch, let last = turns.last, last.media == old else { return }
        move(to: host)
        guard !turns.isEmpty else { return }
        turns = turns.dropLast() + last.replaced
        turn(at: media, to: last.rate, at: host)
    }

    /// Runs so many millionths faster than its rate from now on; below zero: slower.
    package mutating func correct(by millionths: Int64, epoch: Epoch, at host: HostTime) {
        guard epoch == anchor.epoch, isRunning, millionths != anchor.correction else { return }
        move(to: host)
        anchor.correction = millionths
    }

    /// Stands still for so many nanoseconds and then goes on.
    package mutating func hold(for nanoseconds: Int64, epoch: Epoch, at host: HostTime) {
        guard epoch == anchor.epoch, isRunning, nanoseconds > 0 else { return }
        move(to: host)
        anchor.host = anchor.host.advanced(by: nanoseconds)
    }

    /// Leaps so many nanoseconds of media on in its direction; it never goes back. Standing still for a while is
    /// cut short first.
    package mutating func step(by nanoseconds: Int64, epoch: Epoch, at host: HostTime) {
        guard epoch == anchor.epoch, isRunning, nanoseconds > 0 else { return }
        let waiting = min(nanoseconds, max(0, anchor.host.nanoseconds(since: host)))
        anchor.host = anchor.host.advanced(by: -waiting)
        move(to: host)
        let leap = nanoseconds - waiting
        anchor.media &+= anchor.rate.millionths < 0 ? -leap : leap
        passTurns()
    }

    /// The same line with its anchor at `host`, unless it does not run before later.
    private mutating func move(to host: HostTime) {
        let host = max(host, anchor.host)
        let piece = piece(at: host)
        anchor = piece
        anchor.media = Self.media(of: piece, at: host)
        anchor.host = host
        passTurns()
    }

    private mutating func passTurns() {
        while let turn = turns.first, turn.media <= anchor.media {
            anchor.rate = turn.rate
            turns.removeFirst()
        }
    }

    /// The straight piece of the line that `host` lies on.
    private func piece(at host: HostTime) -> Anchor {
        var piece = anchor
        for turn in turns {
            guard let next = piece.turned(turn), next.host <= host else { break }
            piece = next
        }
        return piece
    }

    /// Media time at `host`; a host time before the anchor holds still rather than running back.
    package func media(at host: HostTime) -> Int64 { Self.media(of: piece(at: host), at: host) }

    private static func media(of piece: Anchor, at host: HostTime) -> Int64 {
        let elapsed = max(0, host.nanoseconds(since: piece.host))
        let (time, overflow) = piece.media.addingReportingOverflow(piece.pace.mediaTime(for: elapsed))
        return overflow ? (piece.media > 0 ? .max : .min) : time
    }

    /// Media time without standing still: where the line would have been before its anchor. nil when `epoch` is not
    /// the timeline's.
    package func line(at host: HostTime, epoch: Epoch) -> Int64? {
        guard epoch == anchor.epoch else { return nil }
        guard host < anchor.host else { return media(at: host) }
        return anchor.media &+ anchor.pace.mediaTime(for: host.nanoseconds(since: anchor.host))
    }

    /// When `media` is reached; nil while standing still, or when it is passed or lies the other way. A time
    /// that has been reached already answers the anchor's.
    package func host(for media: Int64) -> HostTime? {
        var piece = anchor
        for turn in turns where turn.media <= media { piece = piece.turned(turn) ?? piece }
        let (distance, overflow) = media.subtractingReportingOverflow(piece.media)
        guard !overflow, isRunning else { return nil }
        if distance == 0 || (distance < 0) == (piece.rate.millionths > 0) { return piece.host }
        return piece.pace.hostTime(for: distance).map { piece.host.advanced(by: $0) }
    }
}
