/// Decides whether a frame is the first one of the newest clip of a view.
///
/// Clips are set on any thread, and frames are shown on others, so a frame of an earlier clip may be reported after
/// another clip has been set. The number of the layer's assignment shows which clip a frame belongs to.
struct ClipReadiness {
    /// The number of the newest clip; 0 before the first one.
    private(set) var number = 0
    /// The clip that the layer was assigned to last, and the number of that assignment.
    private var assigned: (clip: Int, binding: UInt64)?
    /// The number of the last clip whose first frame was reported.
    private var readyNumber = 0

    /// Begins another clip.
    ///
    /// - Returns: The number of the previous clip.
    mutating func beginClip() -> Int {
        defer { number += 1 }
        return number
    }

    /// Records that the layer has been assigned to a clip.
    mutating func assignLayer(to clip: Int, _ binding: UInt64) { assigned = (clip, binding) }

    /// Returns true for the first frame of the newest clip, once.
    ///
    /// - Parameter binding: The number of the assignment with which the frame was shown. It grows if the layer is
    ///   assigned to the same clip again.
    mutating func isFirstFrame(of binding: UInt64) -> Bool {
        guard readyNumber != number, let assigned, assigned.clip == number, binding >= assigned.binding else {
            return false
        }
        readyNumber = number
        return true
    }
}
