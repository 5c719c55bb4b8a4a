import MediaCore

/// The order of shuffled entries. It depends on nothing but the number of entries, the seed and the lap, so that machines
/// with equal lists and seeds play in the same order.
enum ShuffledOrder {
    /// Returns a permutation of the numbers below `count`.
    ///
    /// - Parameters:
    ///   - count: The number of entries.
    ///   - seed: The seed.
    ///   - lap: The number of the lap, from 1.
    ///   - last: The number that is not the first, because it was the last one of the lap before. If nil, it is that of
    ///     the lap before with the same number of entries.
    static func permutation(of count: Int, seed: UInt64, lap: Int, after last: Int? = nil) -> [Int] {
        guard count > 1 else { return Array(0..<max(0, count)) }
        // Two entries alternate.
        var (order, generator) = shuffled(count, seed, count == 2 ? 1 : lap)
        let last = last ?? (lap > 1 && count > 2 ? shuffled(count, seed, lap - 1).order.last : nil)
        guard order.first == last else { return order }
        // The last one of this lap stays, because the next lap depends on it.
        let other = count == 2 ? 1 : 1 + generator.number(below: count - 2)
        order.swapAt(0, other)
        return order
    }

    private static func shuffled(_ count: Int, _ seed: UInt64, _ lap: Int) -> (order: [Int], SplitMix64) {
        var generator = SplitMix64(seed &+ UInt64(truncatingIfNeeded: lap) &* 0xD134_2543_DE82_EF95)
        var order = Array(0..<count)
        for index in stride(from: count - 1, to: 0, by: -1) {
            order.swapAt(index, generator.number(below: index + 1))
        }
        return (order, generator)
    }
}

extension SplitMix64 {
    /// Returns a number below `limit`, which is positive. Unlike that of the standard library, the method never changes.
    mutating func number(below limit: Int) -> Int {
        Int(next().multipliedFullWidth(by: UInt64(limit)).high)
    }
}
