extension FixedWidthInteger {
    /// Creates an integer from `value` rounded toward zero and clamped to the range of this type. NaN gives 0.
    ///
    /// `Int64(value)` traps where `value` does not fit, so a number that a file, a server or a caller chooses is converted by
    /// this initializer.
    @inlinable
    package init(clamping value: Double) {
        if value.isNaN {
            self = 0
        } else if value <= Double(Self.min) {
            self = .min
        } else if value >= Double(Self.max) {
            // Double(Int64.max) is 2^63, which is out of range itself.
            self = .max
        } else {
            self.init(value)
        }
    }
}

extension FixedWidthInteger where Self: SignedInteger {
    /// The sum, clamped to the range of this type. `+` traps where two numbers of a file do not fit together.
    @inlinable
    package func addingClamped(_ other: Self) -> Self {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other > 0 ? .max : .min) : sum
    }

    /// The difference, clamped to the range of this type.
    @inlinable
    package func subtractingClamped(_ other: Self) -> Self {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other > 0 ? .min : .max) : difference
    }
}
