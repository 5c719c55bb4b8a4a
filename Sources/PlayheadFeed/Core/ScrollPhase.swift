/// How a list is being moved.
public enum ScrollPhase: Hashable, Sendable {
    /// By a finger.
    case dragging
    /// By itself, slower and slower.
    case decelerating
    /// It stands: dragging ended without a swing, or the swing is over.
    case settled
}
