/// The whole steps of a mouse wheel. Touchpads report fractions of a step, which are added up.
struct WheelSteps: Sendable {
    private var rest = 0.0

    /// The largest number of steps of one turn, which is sufficient for the whole range of the volume.
    private static let limit = 20.0

    /// Adds a turn.
    ///
    /// - Parameter turn: The steps and fractions of a step, positive in one direction and negative in the other.
    /// - Returns: The number of steps that are complete, in the direction of the turn.
    mutating func add(_ turn: Double) -> Int {
        guard turn.isFinite, turn != 0 else { return 0 }
        // A turn in the other direction does not take fractions back first.
        if turn.sign != rest.sign { rest = 0 }
        let sum = rest + turn
        let steps = sum.rounded(.towardZero)
        rest = sum - steps
        return Int(max(-Self.limit, min(Self.limit, steps)))
    }
}
