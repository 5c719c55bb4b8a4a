/// The phase of a scroll gesture.
public enum ScrollPhase: Hashable, Sendable {
    /// The user drags the list.
    case dragging
    /// The list decelerates after the user has lifted the finger.
    case decelerating
    /// The list is at rest: dragging has ended without deceleration, or deceleration has ended.
    case settled
}
