/// An output that keeps frames until another playback of the item starts.
package protocol FrameKeeping: PlayerItemOutput {
    /// Releases the frames.
    func clear()
}
