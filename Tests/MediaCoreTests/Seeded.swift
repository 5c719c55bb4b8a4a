import MediaCore

/// Cases by lot: the same seed gives the same ones on every machine.
struct Seeded: RandomNumberGenerator {
    private var random: SplitMix64

    init(_ seed: UInt64) { random = SplitMix64(seed) }

    mutating func next() -> UInt64 { random.next() }

    /// Anything a container may hold, the hostile ends often.
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

    /// Numbers, and every sixteenth time one of the others.
    mutating func time() -> MediaTime {
        let bits = next()
        guard bits % 16 == 0 else { return number() }
        let others: [MediaTime] = [.invalid, .indefinite, .positiveInfinity, .negativeInfinity]
        return others[Int((bits >> 8) % 4)]
    }

    /// What real media have: below a day, in everyday timescales.
    mutating func everydayTime() -> MediaTime {
        let scale: Int32 = [24, 25, 600, 1000, 30000, 48000, 90000][Int(next() % 7)]
        let ticks = Int64(next() % (86_400 * UInt64(scale.magnitude)))
        return MediaTime(value: next() % 2 == 0 ? ticks : -ticks, timescale: scale)
    }
}

/// Fails with words only where something is wrong: 200 000 expectations that hold would take seconds to note.
struct Property {
    let name: String
    let seed: UInt64

    /// Returns the first case that `body` finds wrong, or nil.
    func firstFailure(cases: Int, _ body: (inout Seeded) -> String?) -> String? {
        var random = Seeded(seed)
        for index in 0..<cases {
            if let words = body(&random) { return "\(name), seed \(seed), case \(index): \(words)" }
        }
        return nil
    }
}

extension MediaTime {
    /// All that there is to see, where == would not see it.
    var shape: String { "\(self)\(hasBeenRounded ? " rounded" : "")" }
}

/// a / b against c / d for positive denominators, by full-width multiplication: -1, 0 or 1. Shares no code
/// with MediaTime.
func compareFractions(_ a: Int64, _ b: Int32, _ c: Int64, _ d: Int32) -> Int {
    let left = a.multipliedFullWidth(by: Int64(d))
    let right = c.multipliedFullWidth(by: Int64(b))
    if left.high != right.high { return left.high < right.high ? -1 : 1 }
    if left.low != right.low { return left.low < right.low ? -1 : 1 }
    return 0
}
