internal import MediaCore

/// The offset of the timestamps after each discontinuity. All renditions use the same offsets, so audio and video
/// stay in sync.
///
/// ```
///  container time                            item time
///  t                        ------------->   t + shift - zero
///  startTime of a segment   ------------->   start of the segment = sum of the EXTINF before it
///
///  first discontinuity sequence:   shift = 0
///  after a discontinuity:          shift = start + zero - startTime
/// ```
///
/// If the EXTINF are rounded to seconds, the start of a segment that is reached in playback is the end of the media
/// before it (`SegmentTimeline.start(of:after:)`).
///
/// `zero` is the container time that corresponds to item time zero. For packed audio, `startTime` includes the
/// timestamp of the ID3 tag.
///
/// Confined to the lane of its demuxer, except for the shared offsets, which all readers of the presentation use:
/// another variant stream that takes over after a discontinuity continues with the same offsets.
final class TimestampAdjuster {
    /// The offsets that readers of the presentation have determined, by discontinuity sequence number.
    struct SharedShifts {
        /// The offset with which the presentation was opened, those measured on the first segment after a
        /// discontinuity, and all those of live presentations: there the first segment may have been removed before a
        /// reader jumped to the live edge.
        var measured: [Int64: MediaTime] = [:]
        /// Offsets from later segments. They are less exact, because EXTINF values are rounded, so a reader that
        /// begins with the first segment measures its own. Readers of later segments would differ from each other.
        /// Also the offsets that continue one of these, or one of a reader that jumped to a declared start.
        var estimated: [Int64: MediaTime] = [:]
        /// The sequences whose measured offset continues those of all sequences before, because a reader came from the
        /// beginning. The offsets of the others are those of declared starts.
        var continued: Set<Int64> = []
    }

    private var shifts: [Int64: MediaTime] = [:]
    private let shared: Locked<SharedShifts>

    init(_ shared: Locked<SharedShifts>) { self.shared = shared }

    /// Sets the offset of the discontinuity sequence with which the presentation is opened: 0 at first, and later that
    /// which another reader has measured. A live playlist may begin with a later sequence by then.
    func begin(_ number: Int64) {
        _ = shift(of: number, isMeasured: true) { .zero }
        shared.withLock { _ = $0.continued.insert(number) }
    }

    /// Returns the offset of a discontinuity sequence, or nil if no reader has measured it.
    func knownShift(of number: Int64) -> MediaTime? {
        shifts[number] ?? shared.withLock { $0.measured[number] }
    }

    /// Returns the offset of a discontinuity sequence. If it is unknown, calls `compute`. `isMeasured` is false if the
    /// result is an estimate from a later segment.
    func shift(of number: Int64, isMeasured: Bool, _ compute: () -> MediaTime) -> MediaTime {
        if let known = shifts[number] { return known }
        let shift = shared.withLock { shared in
            if let known = shared.measured[number] { return known }
            if !isMeasured, let known = shared.estimated[number] { return known }
            let computed = compute()
            if isMeasured { shared.measured[number] = computed } else { shared.estimated[number] = computed }
            return computed
        }
        shifts[number] = shift
        return shift
    }

    /// Returns the offset of the discontinuity sequence of a run. If it is unknown, calls `compute`.
    func shift(of run: SegmentRun, isLive: Bool, _ compute: () -> MediaTime) -> MediaTime {
        let number = run.segment.discontinuity
        guard let last = run.continuedSequence, shifts[number] == nil, isContinued(last) else {
            let isMeasured = isLive || run.followsDiscontinuity && !run.isCorrected
            return shift(of: number, isMeasured: isMeasured, compute)
        }
        let shift = shared.withLock { shared in
            let isFirst = shared.continued.insert(number).inserted
            // A reader that jumped there has measured the offset by the declared start.
            if let known = shared.measured[number], !isFirst || !run.isCorrected { return known }
            let computed = compute()
            shared.measured[number] = computed
            return computed
        }
        shifts[number] = shift
        return shift
    }

    /// Whether this reader uses an offset that continues those of all sequences before.
    private func isContinued(_ number: Int64) -> Bool {
        guard let shift = shifts[number] else { return false }
        return shared.withLock { $0.continued.contains(number) && $0.measured[number] == shift }
    }
}
