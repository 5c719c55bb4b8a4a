internal import MediaCore

/// How far the times behind each discontinuity are moved: the same for all renditions, so that sound and picture stay together.
///
/// Confined to the lane of the demuxer that it belongs to, but for `measured`, which is of all who open the presentation: another
/// variant that takes over behind a discontinuity goes on with the times of the one before.
final class TimestampAdjuster {
    typealias Shifts = Locked<[Int64: MediaTime]>

    private var shifts: [Int64: MediaTime] = [:]
    /// Those that were found with the first segment behind a discontinuity. With a later one the playlist's durations, which are
    /// rounded, add up to a little more or less.
    private let measured: Shifts

    init(_ measured: Shifts) { self.measured = measured }

    /// The presentation begins with it.
    func begin(_ number: Int64) { if shifts[number] == nil { shifts[number] = .zero } }

    /// `isMeasured`: `make` goes by the first segment behind it.
    func shift(of number: Int64, isMeasured: Bool, _ compute: () -> MediaTime) -> MediaTime {
        if let known = shifts[number] { return known }
        let computed = measured.withLock { measured in
            if let known = measured[number] { return known }
            let computed = compute()
            if isMeasured { measured[number] = computed }
            return computed
        }
        shifts[number] = computed
        return computed
    }
}
