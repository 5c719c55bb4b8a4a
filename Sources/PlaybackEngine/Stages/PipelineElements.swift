import MediaCore
import PlayheadBackend

extension FrameQueue {
    /// The element at `index` from the front; nil: there is none.
    func elementInfo(_ index: Int = 0) -> FrameElementInfo? {
        withElement(at: index) { FrameElementInfo($0) }
    }
}

package typealias PacketQueue = StageQueue<PacketElement>

package typealias FrameQueue = StageQueue<FrameElement>
