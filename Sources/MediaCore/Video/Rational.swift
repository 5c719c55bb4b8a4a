/// A fraction, for frame rates, time bases and pixel aspect ratios. It is never reduced implicitly.
public struct Rational: Hashable, Sendable, CustomStringConvertible {
    /// The dividend.
    public var numerator: Int32
    /// The divisor. A value of 0 is allowed and means that the fraction is unknown.
    public var denominator: Int32

    /// Creates a fraction without reducing it: 50/2 stays 50/2.
    ///
    /// - Parameters:
    ///   - numerator: The dividend.
    ///   - denominator: The divisor.
    public init(_ numerator: Int32, _ denominator: Int32) {
        self.numerator = numerator
        self.denominator = denominator
    }

    /// A Boolean value that indicates whether both numbers are positive. All other fractions mean "unknown".
    public var isPositive: Bool { numerator > 0 && denominator > 0 }
    /// The quotient; NaN if the denominator is zero.
    public var doubleValue: Double {
        denominator == 0 ? .nan : Double(numerator) / Double(denominator)
    }
    public var description: String { "\(numerator)/\(denominator)" }
}
