/// Quarter turns that bring the coded picture upright for a viewer.
public enum Rotation: Int, Hashable, Sendable, CaseIterable {
    /// It is upright as it is coded.
    case none = 0
    /// Turn the frame 90 degrees clockwise to view it.
    case clockwise90 = 90
    /// Turn the frame upside down to view it.
    case half = 180
    /// Turn the frame 90 degrees counterclockwise to view it.
    case clockwise270 = 270

    /// Whether width and height change places.
    public var swapsAxes: Bool { self == .clockwise90 || self == .clockwise270 }
}
