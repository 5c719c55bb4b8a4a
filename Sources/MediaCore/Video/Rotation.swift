/// A rotation by quarter turns that turns the coded picture upright.
public enum Rotation: Int, Hashable, Sendable, CaseIterable {
    /// The coded picture is upright.
    case none = 0
    /// The coded picture has to be rotated 90 degrees clockwise.
    case clockwise90 = 90
    /// The coded picture has to be rotated 180 degrees.
    case half = 180
    /// The coded picture has to be rotated 90 degrees counterclockwise.
    case clockwise270 = 270

    /// A Boolean value that indicates whether the rotation exchanges width and height.
    public var swapsAxes: Bool { self == .clockwise90 || self == .clockwise270 }
}
