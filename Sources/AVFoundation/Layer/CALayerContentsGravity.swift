import MediaCore

/// The way in which the contents of a layer are fitted into its bounds.
public struct CALayerContentsGravity: RawRepresentable, Hashable, Sendable {
    /// The name of the gravity.
    public let rawValue: String
    /// Creates a gravity from its name.
    ///
    /// - Parameter rawValue: The name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The contents are stretched to the bounds.
    public static let resize = CALayerContentsGravity(rawValue: "resize")
    /// The contents keep their proportions and are shown as a whole.
    public static let resizeAspect = CALayerContentsGravity(rawValue: "resizeAspect")
    /// The contents keep their proportions and fill the bounds.
    public static let resizeAspectFill = CALayerContentsGravity(rawValue: "resizeAspectFill")

    var gravity: VideoGravity? {
        switch self {
        case .resize: .resize
        case .resizeAspect: .resizeAspect
        case .resizeAspectFill: .resizeAspectFill
        default: nil
        }
    }
}
