import MediaCore
import PlayheadBackend

extension FrameQueue {
    /// The element at `index` from the front; nil: there is none.
    func mark(_ index: Int = 0) -> FrameMark? { look(at: index) { FrameMark($0) } }
}

package typealias PacketQueue = StageQueue<PacketElement>

package typealias FrameQueue = StageQueue<FrameElement>
