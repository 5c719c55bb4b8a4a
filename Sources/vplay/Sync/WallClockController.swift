import PlayheadCore

/// Decides how playback follows the wall clock. It is a plain value, and times are passed in.
///
/// A small error is removed by the pace, over `correctionTime`. A larger one, in consecutive readings, means that
/// playback has just begun, or that it was stalled or a clock was set, and requires a jump.
struct WallClockController: Hashable, Sendable {
    enum Correction: Hashable, Sendable {
        /// Play faster by this many millionths, or slower if the value is negative.
        case pace(Int64)
        /// Jump to the position of the wall clock.
        case jump
    }

    /// The length of the loop in nanoseconds, at least 1.
    let length: Int64
    /// The wall-clock time at which the loop began, in nanoseconds since 1970.
    let origin: Int64
    private var largeErrors = 0
    /// The largest error since the last jump, in nanoseconds.
    private(set) var worstError: Int64 = 0

    /// Creates a controller.
    ///
    /// - Parameters:
    ///   - length: The length of the loop in nanoseconds.
    ///   - origin: The wall-clock time at which the loop began, in nanoseconds since 1970.
    init(length: Int64, origin: Int64) {
        self.length = max(1, length)
        self.origin = origin
    }

    /// Returns the position in the loop at a wall-clock time, from 0 up to its length.
    func position(at wall: Int64) -> Int64 {
        let elapsed = wall.subtractingReportingOverflow(origin)
        let rest = (elapsed.overflow ? wall : elapsed.partialValue) % length
        return rest < 0 ? rest + length : rest
    }

    /// Returns how far a position is behind that of the wall clock, in nanoseconds: the shorter way around the loop, and
    /// negative if the position is ahead.
    func error(of position: Int64, at wall: Int64) -> Int64 {
        var error = (self.position(at: wall) - position) % length
        if error > length / 2 { error -= length }
        if error < -(length / 2) { error += length }
        return error
    }

    /// Returns the correction for a reading.
    ///
    /// - Parameters:
    ///   - position: The position in the loop, in nanoseconds.
    ///   - wall: The wall-clock time at which it was read, in nanoseconds since 1970.
    mutating func follow(_ position: Int64, at wall: Int64) -> Correction {
        let error = error(of: position, at: wall)
        guard error.magnitude <= Self.maximumPacedError else {
            // A single reading may have been delayed.
            largeErrors += 1
            guard largeErrors >= Self.requiredLargeErrors else { return .pace(0) }
            largeErrors = 0
            worstError = 0
            return .jump
        }
        largeErrors = 0
        worstError = max(worstError, Int64(error.magnitude))
        let pace = error / (Self.correctionTime / 1_000_000)
        return .pace(max(-Self.maximumPace, min(Self.maximumPace, pace)))
    }

    /// The interval between readings: 0.5 s.
    static let interval: Int64 = 500_000_000
    /// The largest error that is removed by the pace: 40 ms, a frame at 25 frames per second.
    static let maximumPacedError: UInt64 = 40_000_000
    /// The time in which an error is removed: 10 s, so that an error of 0.1 ms changes the pace by 10 millionths.
    private static let correctionTime: Int64 = 10_000_000_000
    /// The largest change of the pace: 500 millionths, which nobody hears or sees.
    static let maximumPace: Int64 = 500
    /// The number of consecutive readings with a large error that require a jump.
    static let requiredLargeErrors = 3
}
