import MediaCore

/// A random number generator that takes the leading bits of each number from an input, until that is used up.
///
/// A fuzzer thus chooses what a random test would have drawn. The other bits, and all numbers after the input, come from
/// a seed.
struct InputRandom: RandomNumberGenerator {
    private var input: ArraySlice<UInt8>
    private var rest: SplitMix64

    init(_ input: [UInt8] = [], seed: UInt64 = 0) {
        self.input = input[...]
        rest = SplitMix64(seed)
    }

    var isExhausted: Bool { input.isEmpty }

    mutating func next() -> UInt64 {
        let number = rest.next()
        guard let byte = input.popFirst() else { return number }
        return UInt64(byte) << 56 | number >> 8
    }

    /// Returns a number that is often at a limit of its type.
    mutating func extreme() -> Int64 {
        let limits: [Int64] = [0, 1, -1, .max, .min, .max - 1, .min + 1, 1 << 32, 1 << 53, 1_000_000_000]
        let index = Int.random(in: 0..<limits.count * 2, using: &self)
        return index < limits.count ? limits[index] : Int64(bitPattern: next())
    }
}
