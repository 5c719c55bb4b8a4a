import PlayheadPicker

/// The position of an input before the playlist is shuffled or changed by hand.
struct InputRank: Hashable, Comparable, Sendable {
    /// The number of the argument or the command that named the input.
    var source: Int
    /// The number of the input in a folder or a playlist file; 0 in a folder that is watched.
    var number: Int
    /// The components of the path below a folder that is watched.
    var path: [[UInt8]] = []

    static func < (first: Self, second: Self) -> Bool {
        if first.source != second.source { return first.source < second.source }
        if first.number != second.number { return first.number < second.number }
        return NaturalOrder.areInIncreasingOrder(first.path, second.path)
    }
}

extension NaturalOrder {
    /// Returns whether a path precedes another one: by the first component that differs, in natural order.
    static func areInIncreasingOrder(_ first: [[UInt8]], _ second: [[UInt8]]) -> Bool {
        for (left, right) in zip(first, second) where left != right {
            return areInIncreasingOrder(left, right)
        }
        return first.count < second.count
    }
}
