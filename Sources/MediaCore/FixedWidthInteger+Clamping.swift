extension FixedWidthInteger {
    /// Creates an integer from `value`, rounded toward zero and clamped to the range of this type. NaN gives 0.
    ///
    /// `Int64(value)` traps if `value` does not fit. Numbers that a file, a server or a caller chooses are therefore
    /// converted by this initializer.
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
    /// Returns the sum, clamped to the range of this type. The operator `+` traps if the sum of two numbers of a file
    /// does not fit.
    @inlinable
    package func addingClamped(_ other: Self) -> Self {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other > 0 ? .max : .min) : sum
    }

    /// Returns the difference, clamped to the range of this type.
    @inlinable
    package func subtractingClamped(_ other: Self) -> Self {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other > 0 ? .min : .max) : difference
    }
}
