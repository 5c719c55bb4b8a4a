/// The order in which people expect file names: "clip2" before "clip10", large and small letters side by side.
public enum NaturalOrder {
    /// Whether `first` stands before `second`. Digits count as numbers, of any length; ASCII letters are compared without
    /// case; all else by its bytes. Names that differ in nothing but case or leading zeros are in the order of their bytes.
    public static func areInIncreasingOrder(_ first: String, _ second: String) -> Bool {
        areInIncreasingOrder(Array(first.utf8), Array(second.utf8))
    }

    /// The same for names that may be no UTF-8.
    public static func areInIncreasingOrder(_ first: [UInt8], _ second: [UInt8]) -> Bool {
        var (left, right) = (first[...], second[...])
        while let a = left.first, let b = right.first {
            if isDigit(a), isDigit(b) {
                let (x, y) = (takeNumber(&left), takeNumber(&right))
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

    /// Digits from the start on, without zeros in front.
    private static func takeNumber(_ bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let digits = bytes.prefix(while: isDigit)
        bytes = bytes[digits.endIndex...]
        return digits.drop { $0 == UInt8(ascii: "0") }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    private static func folded(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}
