/// The calls and values that an observer requests.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    /// The bits of the options.
    public let rawValue: UInt
    /// Creates options from their bits.
    ///
    /// - Parameter rawValue: The bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Requests the value after each change.
    public static let new = NSKeyValueObservingOptions(rawValue: 1)
    /// Requests the value before each change.
    public static let old = NSKeyValueObservingOptions(rawValue: 2)
    /// Requests a first call with the present value before the registration returns.
    public static let initial = NSKeyValueObservingOptions(rawValue: 4)
    /// Requests a call before each call. Both follow the change here.
    public static let prior = NSKeyValueObservingOptions(rawValue: 8)
}
