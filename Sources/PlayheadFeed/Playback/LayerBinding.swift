/// A layer and the number of the clip that it was assigned to.
///
/// The layer may have been assigned to another clip since, also by another feed. The binding then has no effect.
struct LayerBinding: Sendable {
    let layer: FeedLayer
    let number: UInt64
    /// Runs a closure on a lane of this assignment. It may call a sink that blocks, which then delays no other layer.
    let performOnSinkLane: @Sendable (@escaping @Sendable () -> Void) -> Void

    var isCurrent: Bool { layer.binding == number }

    func isSame(as other: LayerBinding) -> Bool { layer === other.layer && number == other.number }

    /// Whether this is a later assignment of the same layer.
    func isNewer(than other: LayerBinding) -> Bool { layer === other.layer && number > other.number }

    /// Ends the assignment: the sinks receive nothing more of the clip.
    func end() { layer.begin(after: number) }
}
