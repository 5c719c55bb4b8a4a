/// A rational time: `value / timescale` seconds. (Being rewritten; this is the surface.)
public struct MediaTime: Hashable, Comparable, Sendable, CustomStringConvertible {
    public private(set) var value: Int64
    public private(set) var timescale: Int32

    public init(value: Int64, timescale: Int32) {
        self.value = value
        self.timescale = timescale
    }
    public init(seconds: Double, preferredTimescale: Int32) {
        self.init(value: Int64(seconds * Double(preferredTimescale)), timescale: preferredTimescale)
    }
    public static let zero = MediaTime(value: 0, timescale: 1)
    public static let invalid = MediaTime(value: 0, timescale: 0)
    public static let indefinite = MediaTime(value: 1, timescale: -1)
    public static let positiveInfinity = MediaTime(value: 1, timescale: 0)
    public static let negativeInfinity = MediaTime(value: -1, timescale: 0)
    public var seconds: Double { Double(value) / Double(timescale) }
    public var isValid: Bool { timescale != 0 || value != 0 }
    public var isIndefinite: Bool { self == .indefinite }
    public var isNumeric: Bool { timescale > 0 }
    public var description: String { "\(value)/\(timescale)" }
    public static func < (a: MediaTime, b: MediaTime) -> Bool { a.seconds < b.seconds }
    public static func + (a: MediaTime, b: MediaTime) -> MediaTime {
        MediaTime(value: a.value * Int64(b.timescale) + b.value * Int64(a.timescale), timescale: a.timescale * b.timescale)
    }
    public static func - (a: MediaTime, b: MediaTime) -> MediaTime {
        MediaTime(value: a.value * Int64(b.timescale) - b.value * Int64(a.timescale), timescale: a.timescale * b.timescale)
    }
    /// Nanoseconds, rounded to nearest, held at the ends of Int64; nil when not numeric.
    public var nanoseconds: Int64? { isNumeric ? Int64(seconds * 1e9) : nil }
}
public struct MediaTimeRange: Hashable, Sendable {
    public var start: MediaTime
    public var duration: MediaTime
    public init(start: MediaTime, duration: MediaTime) {
        self.start = start
        self.duration = duration
    }
    public var end: MediaTime { start + duration }
}
