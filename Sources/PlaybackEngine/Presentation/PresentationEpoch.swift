import MediaCore

/// What the renderer knows of one epoch. A new epoch replaces the whole value, the pass with it.
struct PresentationEpoch {
    let epoch: Epoch
    /// Time runs backward: a video frame is due where the frame after it began.
    var isReverse = false
    var pass = PresentationPass()
}
