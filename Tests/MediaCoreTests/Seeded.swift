import MediaCore

/// A seeded generator of test cases: a seed produces the same cases on every machine.
struct Seeded: RandomNumberGenerator {
    private var random: SplitMix64

    init(_ seed: UInt64) { random = SplitMix64(seed) }

    mutating func next() -> UInt64 { random.next() }

    /// Returns any value that a container may contain, with frequent extreme values.
    mutating func value() -> Int64 {
        let bits = next()
        switch bits % 8 {
        case 0: return [0, 1, -1, .max, .min, .max - 1, .min + 1, 1 << 53][Int((bits >> 8) % 8)]
        case 1: return Int64(truncatingIfNeeded: next())
        default: return Int64(truncatingIfNeeded: next()) >> Int64((bits >> 8) % 63)
        }
    }

    mutating func timescale() -> Int32 {
        let bits = next()
        let common: [Int32] = [
            1, 2, 24, 25, 30, 600, 1000, 30000, 44100, 48000, 90000, 65536, 1_000_000, 1_000_000_000,
            .max, .max - 1,
        ]
        if bits % 4 != 0 { return common[Int((bits >> 8) % 16)] }
        return Int32(truncatingIfNeeded: max(1, (next() >> 33) >> ((bits >> 8) % 31)))
    }

    mutating func number() -> MediaTime { MediaTime(value: value(), timescale: timescale()) }

    /// Returns a numeric time, or one of the other kinds in one of 16 cases.
    mutating func time() -> MediaTime {
        let bits = next()
        guard bits % 16 == 0 else { return number() }
        let others: [MediaTime] = [.invalid, .indefinite, .positiveInfinity, .negativeInfinity]
        return others[Int((bits >> 8) % 4)]
    }

    /// Returns a time of ordinary media: below a day, in a common timescale.
    mutating func everydayTime() -> MediaTime {
        let scale: Int32 = [24, 25, 600, 1000, 30000, 48000, 90000][Int(next() % 7)]
        let ticks = Int64(next() % (86_400 * UInt64(scale.magnitude)))
        return MediaTime(value: next() % 2 == 0 ? ticks : -ticks, timescale: scale)
    }
}

/// Records an issue for a failing case only, because recording 200,000 passing expectations takes seconds.
struct Property {
    let name: String
    let seed: UInt64

    /// Returns the first case for which `body` reports a failure, or nil.
    func firstFailure(cases: Int, _ body: (inout Seeded) -> String?) -> String? {
        var random = Seeded(seed)
        for index in 0..<cases {
            if let failure = body(&random) { return "\(name), seed \(seed), case \(index): \(failure)" }
        }
        return nil
    }
}

extension MediaTime {
    /// A text with all properties, including those that == ignores.
    var shape: String { "\(self)\(hasBeenRounded ? " rounded" : "")" }
}

/// Compares a / b with c / d for positive denominators by full-width multiplication: -1, 0 or 1. It shares no code
/// with MediaTime.
func compareFractions(_ a: Int64, _ b: Int32, _ c: Int64, _ d: Int32) -> Int {
    let left = a.multipliedFullWidth(by: Int64(d))
    let right = c.multipliedFullWidth(by: Int64(b))
    if left.high != right.high { return left.high < right.high ? -1 : 1 }
    if left.low != right.low { return left.low < right.low ? -1 : 1 }
    return 0
}
