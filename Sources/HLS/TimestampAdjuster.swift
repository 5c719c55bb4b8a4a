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
/// Confined to the lane of its demuxer, except for `measured`, which all readers of the presentation share: another
/// variant stream that takes over after a discontinuity continues with the same offsets.
final class TimestampAdjuster {
    typealias Shifts = Locked<[Int64: MediaTime]>

    private var shifts: [Int64: MediaTime] = [:]
    /// The offset with which the presentation was opened, and those measured on the first segment after a
    /// discontinuity. Offsets from later segments are less exact, because EXTINF values are rounded. They are shared in
    /// live presentations only: the first segment may have been removed before a reader jumped to the live edge.
    private let measured: Shifts

    init(_ measured: Shifts) { self.measured = measured }

    /// Sets the offset of the discontinuity sequence with which the presentation is opened: 0 at first, and later that
    /// which another reader has measured. A live playlist may begin with a later sequence by then.
    func begin(_ number: Int64) { _ = shift(of: number, isShared: true) { .zero } }

    /// Returns the offset of a discontinuity sequence, or nil if no reader has determined it.
    func knownShift(of number: Int64) -> MediaTime? { shifts[number] ?? measured.withLock { $0[number] } }

    /// Returns the offset of a discontinuity sequence. If it is unknown, calls `compute`. `isShared` is true if other
    /// readers use the result.
    func shift(of number: Int64, isShared: Bool, _ compute: () -> MediaTime) -> MediaTime {
        if let known = shifts[number] { return known }
        let computed = measured.withLock { measured in
            if let known = measured[number] { return known }
            let computed = compute()
            if isShared { measured[number] = computed }
            return computed
        }
        shifts[number] = computed
        return computed
    }
}
