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
        var epoch: Epoch
    }

    private var anchor: Anchor

    public init(epoch: Epoch = Epoch()) {
        anchor = Anchor(host: .zero, media: 0, rate: .stopped, epoch: epoch)
    }

    public var rate: PlaybackRate { anchor.rate }
    public var isRunning: Bool { !anchor.rate.isStopped }
    public var epoch: Epoch { anchor.epoch }

    /// Stands at `media` from now on, in a new epoch: answers to the old one are nil.
    public mutating func jump(to media: Int64, epoch: Epoch, at host: HostTime) {
        anchor = Anchor(host: host, media: media, rate: .stopped, epoch: epoch)
    }

    /// Goes on at another rate from where it is.
    public mutating func setRate(_ rate: PlaybackRate, at host: HostTime) {
        anchor = Anchor(host: host, media: media(at: host), rate: rate, epoch: anchor.epoch)
    }

    /// Media time at `host`; a host time before the anchor holds still rather than running back.
    public func media(at host: HostTime) -> Int64 {
        let elapsed = max(0, host.nanoseconds(since: anchor.host))
        let (time, overflow) = anchor.media.addingReportingOverflow(anchor.rate.mediaTime(for: elapsed))
        return overflow ? (anchor.media > 0 ? .max : .min) : time
    }

    /// When `media` is reached; nil while standing still, or when it is passed or lies the other way. A time
    /// that has been reached already answers the anchor's.
    public func host(for media: Int64) -> HostTime? {
        let (distance, overflow) = media.subtractingReportingOverflow(anchor.media)
        guard !overflow, isRunning else { return nil }
        if distance == 0 || (distance < 0) == (anchor.rate.millionths > 0) { return anchor.host }
        return anchor.rate.hostTime(for: distance).map { anchor.host.advanced(by: $0) }
    }
}
