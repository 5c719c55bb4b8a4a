package import MediaCore

/// The times at which frames are sampled. They are computed one by one, because there may be any number of them.
package struct SampleTimes: Sendable {
    private enum Rule {
        case list([MediaTime])
        /// The middles of `count` equal parts of `length` nanoseconds.
        case middles(length: Int64)
        case rate(Double, tolerance: MediaTime)
    }

    private let rule: Rule
    private let start: MediaTime
    /// The number of times.
    package let count: Int

    /// Creates the given times.
    package init(_ times: [MediaTime]) {
        rule = .list(times)
        start = .zero
        count = times.count
    }

    /// Creates the middles of equal parts.
    ///
    /// - Parameters:
    ///   - count: The number of parts. There are none if it is not positive.
    ///   - start: The start of the first part.
    ///   - length: The length of all parts. There are none if it is not positive.
    package init(middlesOf count: Int, from start: MediaTime, length: MediaTime) {
        let nearest = max(0, length.nanoseconds ?? 0)
        // Rounded up, as the middles are.
        let isShorter = length.isNumeric && nearest < .max && MediaTime(nanoseconds: nearest) < length
        rule = .middles(length: isShorter ? nearest + 1 : nearest)
        self.start = start
        self.count = length.isNumeric && length > .zero ? max(0, count) : 0
    }

    /// Creates the times `start`, `start + 1 / rate`, `start + 2 / rate` and so on.
    ///
    /// - Parameters:
    ///   - rate: The number of times per second. There are none if it is not a positive number.
    ///   - start: The first time.
    ///   - length: The length in nanoseconds of the range that contains the times, or nil if it has no end.
    ///   - limit: The largest number of times, or nil.
    ///   - tolerance: The error that the times of the frames may have. It is added to each time, so that a frame which
    ///     the container begins later than at its exact time is due.
    ///   - endError: The error that the end of the range may have. A time that is not before the end by more is not in
    ///     the range.
    package init(
        rate: Double,
        from start: MediaTime,
        length: Int64?,
        limit: Int?,
        tolerance: MediaTime = .zero,
        endError: MediaTime = .zero
    ) {
        self.start = start
        guard rate.isFinite, rate > 0 else {
            rule = .list([])
            count = 0
            return
        }
        rule = .rate(rate, tolerance: tolerance)
        let most = max(0, limit ?? .max)
        guard let length else {
            count = most
            return
        }
        let exact = Double(max(0, length)) / 1e9 * rate
        // An error of rounding, of which the length may have half a microsecond, does not add a time. The first time is
        // in the shortest range.
        let error = max(min(max(1e-12 * exact, 0.75e-6 * rate), 0.5), endError.seconds * rate)
        let rounded = max(exact > 0 ? 1 : 0, (exact - error).rounded(.up))
        count = min(most, rounded < Double(Int.max) ? Int(rounded) : .max)
    }

    /// Returns the time at an index below `count`. A time that does not fit is the last one that does.
    package subscript(index: Int) -> MediaTime {
        switch rule {
        case .list(let times): return times[index]
        case .middles(let length):
            let parts = 2 * UInt128(max(1, count))
            // Rounded up, so that a frame whose time is not a whole number of nanoseconds is due.
            let middle = (UInt128(length) * (2 * UInt128(index) + 1) + parts - 1) / parts
            let offset = min(Int64(clamping: middle), max(0, length - 1))
            return later(start, by: MediaTime(nanoseconds: offset))
        case .rate(let rate, let tolerance): return later(time(at: index, rate), by: tolerance)
        }
    }

    private func time(at index: Int, _ rate: Double) -> MediaTime {
        // A rate that is a whole number has exact times, as frames have.
        if rate == rate.rounded(), let timescale = Int32(exactly: rate) {
            let time = start + MediaTime(value: Int64(index), timescale: timescale)
            if !time.hasBeenRounded { return time }
        }
        // Rounded up, so that a frame whose time is not a whole number of nanoseconds is due.
        let nanoseconds = (Double(index) / rate * 1e9).rounded(.up)
        let limit = Double(Int64.max / 2)
        return later(start, by: MediaTime(nanoseconds: Int64(min(nanoseconds, limit))))
    }

    /// Returns the sum of a time and a length. If no timescale can hold it, both are rounded up to nanoseconds, so that a
    /// frame whose time is the exact sum is due.
    private func later(_ time: MediaTime, by length: MediaTime) -> MediaTime {
        let sum = time + length
        guard sum.hasBeenRounded else { return sum }
        func roundedUp(_ time: MediaTime) -> MediaTime {
            time.rescaled(to: 1_000_000_000, rounding: .roundTowardPositiveInfinity)
        }
        let rounded = roundedUp(time) + roundedUp(length)
        return rounded.isNumeric ? rounded : sum
    }

    /// Returns the first index from `first` on whose time is not before `time`, or `count`. The times must be in
    /// ascending order.
    func firstIndex(notBefore time: MediaTime, from first: Int) -> Int {
        var low = min(first, count)
        var step = 1
        var high = low
        while high < count, self[high] < time {
            low = high + 1
            high = count - high > step ? high + step : count
            step = step > Int.max / 2 ? step : step * 2
        }
        while low < high {
            let middle = low + (high - low) / 2
            if self[middle] < time { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
