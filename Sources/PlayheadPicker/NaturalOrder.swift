/// The natural order of file names: "clip2" before "clip10", regardless of the case of letters.
public enum NaturalOrder {
    /// Returns whether `first` precedes `second`.
    ///
    /// Sequences of digits compare as numbers of any length, ASCII letters compare without case, and everything else
    /// compares by its bytes. Names that differ only in case or leading zeros compare by their bytes.
    ///
    /// - Parameters:
    ///   - first: A name.
    ///   - second: Another name.
    /// - Returns: True if `first` precedes `second`.
    public static func areInIncreasingOrder(_ first: String, _ second: String) -> Bool {
        areInIncreasingOrder(Array(first.utf8), Array(second.utf8))
    }

    /// Returns whether `first` precedes `second`, for names that need not be valid UTF-8.
    ///
    /// - Parameters:
    ///   - first: The bytes of a name.
    ///   - second: The bytes of another name.
    /// - Returns: True if `first` precedes `second`.
    public static func areInIncreasingOrder(_ first: [UInt8], _ second: [UInt8]) -> Bool {
        var (left, right) = (first[...], second[...])
        while let a = left.first, let b = right.first {
            if isDigit(a), isDigit(b) {
                let (x, y) = (removeNumber(&left), removeNumber(&right))
                if x.count != y.count { return x.count < y.count }
                if x != y { return x.lexicographicallyPrecedes(y) }
            } else {
                if folded(a) != folded(b) { return folded(a) < folded(b) }
                left = left.dropFirst()
                right = right.dropFirst()
            }
        }
        if left.isEmpty != right.isEmpty { return left.isEmpty }
        return first.lexicographicallyPrecedes(second)
    }

    /// Removes the leading digits and returns them without leading zeros.
    private static func removeNumber(_ bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let digits = bytes.prefix(while: isDigit)
        bytes = bytes[digits.endIndex...]
        return digits.drop { $0 == UInt8(ascii: "0") }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    private static func folded(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}
