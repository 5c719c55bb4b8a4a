/// A fraction, for frame rates, time bases and pixel aspect ratios. Never normalised behind your back.
public struct Rational: Hashable, Sendable, CustomStringConvertible {
    /// What stands above the line.
    public var numerator: Int32
    /// What stands below the line; 0 is legal, and means that the value is not known.
    public var denominator: Int32

    /// As given, without reducing it: 50/2 stays that.
    public init(_ numerator: Int32, _ denominator: Int32) {
        self.numerator = numerator
        self.denominator = denominator
    }

    /// False for 0/x, x/0 and anything negative: "not known".
    public var isPositive: Bool { numerator > 0 && denominator > 0 }
    /// NaN when the denominator is zero.
    public var doubleValue: Double {
        denominator == 0 ? .nan : Double(numerator) / Double(denominator)
    }
    public var description: String { "\(numerator)/\(denominator)" }
}
