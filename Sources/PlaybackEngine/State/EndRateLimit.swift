import MediaCore

/// Limits how often the ends of an item are reported: at most four a second without playback in between. A program
/// that plays at every end, or seeks to the end at every end, would otherwise be called without a pause.
struct EndRateLimit: Hashable {
    /// A playback position and the ends around it.
    struct Position: Hashable {
        var time: ItemTime
        var duration: ItemTime?
        /// The end of forward playback, if it is earlier than the duration or the duration is unknown.
        var forwardEnd: ItemTime?
        var reverseEnd = ItemTime.zero
    }

    /// The delay before the end is reported again: 20 ms. A caller that plays and then seeks has done both by then.
    static let repeatDelay: Int64 = 20_000_000
    /// The minimum interval between two reported ends without playback in between: 250 ms.
    static let minimumInterval: Int64 = 250_000_000
    /// The tolerance for positions at a boundary of the item (1 ms), and for all other positions (20 ms, less than a
    /// frame).
    static let exactTolerance: Int64 = 1_000_000
    static let nearTolerance: Int64 = 20_000_000

    /// The earliest time at which an end may be reported again without playback in between.
    private var earliestNextEnd = HostTime.zero
    /// The item time of the last end, if it was a failure.
    private var failure: ItemTime?

    /// Records that an end was reported. `failure` is its item time if the data ended early.
    mutating func endReported(at host: HostTime, failure: ItemTime?) {
        earliestNextEnd = host.advanced(by: Self.minimumInterval)
        self.failure = failure
    }

    /// Returns when the end is reported again after playback was requested there.
    func repeatTime(requestedAt now: HostTime) -> HostTime {
        max(now.advanced(by: Self.repeatDelay), earliestNextEnd)
    }

    /// Returns the time before which playback may not start, because an end would follow at once, or nil.
    func earliestStart(from position: Position, rate: Float, at now: HostTime) -> HostTime? {
        now < earliestNextEnd && isAtEnd(position, rate: rate) ? earliestNextEnd : nil
    }

    /// Returns whether a position is so close to the end in the direction of `rate`, or to the position of the last
    /// failure, that nothing would be seen or heard before it. This is the case after a seek to the end, and for a
    /// very short item.
    private func isAtEnd(_ position: Position, rate: Float) -> Bool {
        let time = position.time
        if let failure, (time - failure).magnitude <= Self.nearTolerance { return true }
        if rate < 0 {
            let isWhole = position.duration.map { time >= $0 } ?? false
            return time <= position.reverseEnd + (isWhole ? Self.exactTolerance : Self.nearTolerance)
        }
        let ends = [position.duration, position.forwardEnd]
        guard let end = ends.compactMap(\.self).min() else { return false }
        return time + (time == .zero ? Self.exactTolerance : Self.nearTolerance) >= end
    }
}
