internal import MediaCore

/// How far the times behind each discontinuity are moved: the same for all renditions, so that sound and picture stay together.
///
/// Confined to the lane of the demuxer that it belongs to.
final class Breaks {
    private var shifts: [Int64: MediaTime] = [:]

    /// The presentation begins with it.
    func begin(_ number: Int64) { if shifts[number] == nil { shifts[number] = .zero } }

    func shift(of number: Int64, _ make: () -> MediaTime) -> MediaTime {
        if let known = shifts[number] { return known }
        let made = make()
        shifts[number] = made
        return made
    }
}
