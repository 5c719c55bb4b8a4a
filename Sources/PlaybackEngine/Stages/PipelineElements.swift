import MediaCore
import PlayheadBackend

extension FrameQueue {
    /// Returns the description of the element at `index` from the front, or nil if there is none.
    func elementInfo(_ index: Int = 0) -> FrameElementInfo? {
        withElement(at: index) { FrameElementInfo($0) }
    }
}

package typealias PacketQueue = StageQueue<PacketElement>

package typealias FrameQueue = StageQueue<FrameElement>
