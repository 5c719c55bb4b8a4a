/// The name of an attribute of a metadata entry.
public struct AVMetadataExtraAttributeKey: RawRepresentable, Hashable, Sendable {
    /// The text of the name.
    public let rawValue: String
    /// Creates a name.
    ///
    /// - Parameter rawValue: The text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The text that distinguishes entries with the same key: the name of a user-defined ID3 text, or the owner of private data.
    public static let info = AVMetadataExtraAttributeKey(rawValue: "info")
}
