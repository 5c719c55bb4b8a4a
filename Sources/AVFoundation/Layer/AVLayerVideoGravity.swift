import MediaCore

/// The way in which video is fitted into a layer.
public struct AVLayerVideoGravity: RawRepresentable, Hashable, Sendable {
    /// The name of the gravity.
    public let rawValue: String
    /// Creates a gravity from its name.
    ///
    /// - Parameter rawValue: The name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The whole video is visible, and keeps its aspect ratio.
    public static let resizeAspect = AVLayerVideoGravity(rawValue: "AVLayerVideoGravityResizeAspect")
    /// The video fills the layer, and keeps its aspect ratio.
    public static let resizeAspectFill = AVLayerVideoGravity(rawValue: "AVLayerVideoGravityResizeAspectFill")
    /// The video is stretched to the layer.
    public static let resize = AVLayerVideoGravity(rawValue: "AVLayerVideoGravityResize")

    init(_ gravity: VideoGravity) {
        self =
            switch gravity {
            case .resizeAspect: .resizeAspect
            case .resizeAspectFill: .resizeAspectFill
            case .resize: .resize
            }
    }

    /// The gravity of the player's API, or nil for an unknown name.
    var gravity: VideoGravity? {
        switch self {
        case .resizeAspect: .resizeAspect
        case .resizeAspectFill: .resizeAspectFill
        case .resize: .resize
        default: nil
        }
    }
}
