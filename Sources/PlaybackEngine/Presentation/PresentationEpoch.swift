import MediaCore

/// The scheduler's state of one epoch. A new epoch replaces the whole value, including the pass.
struct PresentationEpoch {
    let epoch: Epoch
    /// A Boolean value that indicates whether time runs backward. A video frame is then due at the start of the frame
    /// after it.
    var isReverse = false
    var pass = PresentationPass()
}
