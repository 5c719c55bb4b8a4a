public import MediaCore

/// Maps host time to media time by one anchor. Nothing else computes "now".
///
/// Media time here is nanoseconds on a line that runs on through loops and queue items; the renderer knows
/// where on it each pass of an item begins.
public struct Timeline: Hashable, Sendable {
    private struct Anchor: Hashable, Sendable {
        var host: HostTime
        var media: Int64
        var rate: PlaybackRate
        /// Millionths by which time passes faster than `rate`, to keep in step with a device.
        var correction: Int64 = 0
        var epoch: Epoch

        var pace: PlaybackRate { rate.corrected(by: correction) }
    }

    private var anchor: Anchor

    public init(epoch: Epoch = Epoch()) {
        anchor = Anchor(host: .zero, media: 0, rate: .stopped, epoch: epoch)
    }

    /// As it was set, without corrections.
    public var rate: PlaybackRate { anchor.rate }
    public var isRunning: Bool { !anchor.rate.isStopped }
    public var epoch: Epoch { anchor.epoch }
    /// Millionths; see `correct`.
    public var correction: Int64 { anchor.correction }

    /// Stands at `media` from now on, in a new epoch: answers to the old one are nil.
    public mutating func jump(to media: Int64, epoch: Epoch, at host: HostTime) {
        anchor = Anchor(host: host, media: media, rate: .stopped, epoch: epoch)
    }

    /// Goes on at another rate from where it is.
    public mutating func setRate(_ rate: PlaybackRate, at host: HostTime) {
        anchor = Anchor(host: host, media: media(at: host), rate: rate, epoch: anchor.epoch)
    }

    /// Runs so many millionths faster than its rate from now on; below zero: slower.
    public mutating func correct(by millionths: Int64, epoch: Epoch, at host: HostTime) {
        guard epoch == anchor.epoch, isRunning, millionths != anchor.correction else { return }
        move(to: host)
        anchor.correction = millionths
    }

    /// Stands still for so many nanoseconds and then goes on.
    public mutating func hold(for nanoseconds: Int64, epoch: Epoch, at host: HostTime) {
        guard epoch == anchor.epoch, isRunning, nanoseconds > 0 else { return }
        move(to: host)
        anchor.host = anchor.host.advanced(by: nanoseconds)
    }

    /// Leaps so many nanoseconds of media on in its direction; it never goes back. Standing still for a while is
    /// cut short first.
    public mutating func step(by nanoseconds: Int64, epoch: Epoch, at host: HostTime) {
        guard epoch == anchor.epoch, isRunning, nanoseconds > 0 else { return }
        let waiting = min(nanoseconds, max(0, anchor.host.nanoseconds(since: host)))
        anchor.host = anchor.host.advanced(by: -waiting)
        move(to: host)
        let leap = nanoseconds - waiting
        anchor.media &+= anchor.rate.millionths < 0 ? -leap : leap
    }

    /// The same line with its anchor at `host`, unless it does not run before later.
    private mutating func move(to host: HostTime) {
        let host = max(host, anchor.host)
        anchor.media = media(at: host)
        anchor.host = host
    }

    /// Media time at `host`; a host time before the anchor holds still rather than running back.
    public func media(at host: HostTime) -> Int64 {
        let elapsed = max(0, host.nanoseconds(since: anchor.host))
        let (time, overflow) = anchor.media.addingReportingOverflow(anchor.pace.mediaTime(for: elapsed))
        return overflow ? (anchor.media > 0 ? .max : .min) : time
    }

    /// Media time without standing still: where the line would have been before its anchor. nil when `epoch` is not
    /// the timeline's.
    public func line(at host: HostTime, epoch: Epoch) -> Int64? {
        guard epoch == anchor.epoch else { return nil }
        return anchor.media &+ anchor.pace.mediaTime(for: host.nanoseconds(since: anchor.host))
    }

    /// When `media` is reached; nil while standing still, or when it is passed or lies the other way. A time
    /// that has been reached already answers the anchor's.
    public func host(for media: Int64) -> HostTime? {
        let (distance, overflow) = media.subtractingReportingOverflow(anchor.media)
        guard !overflow, isRunning else { return nil }
        if distance == 0 || (distance < 0) == (anchor.rate.millionths > 0) { return anchor.host }
        return anchor.pace.hostTime(for: distance).map { anchor.host.advanced(by: $0) }
    }
}
