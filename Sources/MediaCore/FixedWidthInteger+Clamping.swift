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
