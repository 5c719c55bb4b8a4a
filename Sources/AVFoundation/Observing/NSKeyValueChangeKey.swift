/// A key of the dictionary that describes a change.
public struct NSKeyValueChangeKey: RawRepresentable, Hashable, Sendable {
    /// The name of the key.
    public let rawValue: String
    /// Creates a key from its name.
    ///
    /// - Parameter rawValue: The name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The key of the kind: an `NSNumber` with the raw value of `NSKeyValueChange.setting`.
    public static let kindKey = NSKeyValueChangeKey(rawValue: "kind")
    /// The key of the value after the change, which `.new` requests. Numbers, Booleans and enumerations are `NSNumber`s;
    /// times, sizes and rectangles `NSValue`s; nil is `NSNull`.
    public static let newKey = NSKeyValueChangeKey(rawValue: "new")
    /// The key of the value before the change, which `.old` requests, as `newKey` has it.
    public static let oldKey = NSKeyValueChangeKey(rawValue: "old")
    /// The key of the indexes of a change of a collection. It does not occur.
    public static let indexesKey = NSKeyValueChangeKey(rawValue: "indexes")
    /// The key that the call that `.prior` requests has: an `NSNumber` that is true.
    public static let notificationIsPriorKey = NSKeyValueChangeKey(rawValue: "notificationIsPrior")
}
