/// One total order, exact in the full range of Int64 and Int32: -infinity < numbers < indefinite < +infinity <
/// invalid (CMTimeCompare). Equal fractions are equal and have equal hashes: 1/2 == 2/4.
extension MediaTime: Comparable, Hashable {
    public static func == (a: MediaTime, b: MediaTime) -> Bool {
        if a.timescale == b.timescale {
            return a.value == b.value && a.kind == b.kind
        }
        guard a.isNumeric, b.isNumeric else { return false }
        return a.crossed(with: b) == b.crossed(with: a)
    }

    public static func < (a: MediaTime, b: MediaTime) -> Bool {
        if a.isNumeric, b.isNumeric {
            if a.timescale == b.timescale { return a.value < b.value }
            return a.crossed(with: b) < b.crossed(with: a)
        }
        return a.kind.rawValue < b.kind.rawValue
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        guard isNumeric else { return }
        let scale = UInt64(timescale.magnitude)
        let divisor = greatestCommonDivisor(scale, value.magnitude)
        hasher.combine(value / Int64(divisor))
        hasher.combine(scale / divisor)
    }

    /// Returns one side of a cross multiplication. It is below 2^94, so it is exact.
    private func crossed(with other: MediaTime) -> Int128 {
        Int128(value) * Int128(other.timescale)
    }
}

/// Returns the greatest common divisor by Euclid's algorithm; `gcd(0, n)` is `n`.
func greatestCommonDivisor<T: UnsignedInteger>(_ a: T, _ b: T) -> T {
    var (a, b) = (a, b)
    while b != 0 { (a, b) = (b, a % b) }
    return a
}
