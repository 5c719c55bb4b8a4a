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
        var estimated: [Int64: MediaTime] = [:]
    }

    private var shifts: [Int64: MediaTime] = [:]
    private let shared: Locked<SharedShifts>

    init(_ shared: Locked<SharedShifts>) { self.shared = shared }

    /// Sets the offset of the discontinuity sequence with which the presentation is opened: 0 at first, and later that
    /// which another reader has measured. A live playlist may begin with a later sequence by then.
    func begin(_ number: Int64) { _ = shift(of: number, isMeasured: true) { .zero } }

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
}
