public import CoreMedia
public import Foundation

// Boxes of times. Foundation on Linux knows the type codes of arrays of bytes, and not those of structures.
extension NSValue {
    /// Creates a box that contains a time.
    ///
    /// - Parameter time: The time.
    public convenience init(time: CMTime) {
        self.init(bytes: withUnsafeBytes(of: time) { Array($0) }, objCType: BoxCode.time)
    }

    /// The time in the box; invalid if the box contains another type.
    public var timeValue: CMTime { contents(BoxCode.time, .invalid) }

    /// Creates a box that contains a range.
    ///
    /// - Parameter timeRange: The range.
    public convenience init(timeRange: CMTimeRange) {
        self.init(bytes: withUnsafeBytes(of: timeRange) { Array($0) }, objCType: BoxCode.range)
    }

    /// The range in the box; invalid if the box contains another type.
    public var timeRangeValue: CMTimeRange { contents(BoxCode.range, .invalid) }

    /// Creates a box that contains a mapping.
    ///
    /// - Parameter timeMapping: The mapping.
    public convenience init(timeMapping: CMTimeMapping) {
        self.init(bytes: withUnsafeBytes(of: timeMapping) { Array($0) }, objCType: BoxCode.mapping)
    }

    /// The mapping in the box; invalid if the box contains another type.
    public var timeMappingValue: CMTimeMapping { contents(BoxCode.mapping, .invalid) }

    private func contents<Value: BitwiseCopyable>(_ code: String, _ other: Value) -> Value {
        guard String(cString: objCType) == code else { return other }
        var value = other
        withUnsafeMutableBytes(of: &value) { bytes in
            if let address = bytes.baseAddress { getValue(address) }
        }
        return value
    }
}

private enum BoxCode {
    static let time = "[24C]"
    static let range = "[48C]"
    static let mapping = "[96C]"
}
