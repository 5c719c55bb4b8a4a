/// A property of a track or of a selection option.
public struct AVMediaCharacteristic: RawRepresentable, Hashable, Sendable {
    /// The name of the characteristic.
    public let rawValue: String
    /// Creates a characteristic from its name.
    ///
    /// - Parameter rawValue: The name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Something to see.
    public static let visual = AVMediaCharacteristic(rawValue: "AVMediaCharacteristicVisual")
    /// Something to hear.
    public static let audible = AVMediaCharacteristic(rawValue: "AVMediaCharacteristicAudible")
    /// Something to read.
    public static let legible = AVMediaCharacteristic(rawValue: "AVMediaCharacteristicLegible")
    /// Video with a high dynamic range, by PQ or HLG. Tracks have it, and selection options do not.
    public static let containsHDRVideo = AVMediaCharacteristic(
        rawValue: "AVMediaCharacteristicContainsHDRVideo"
    )
}
