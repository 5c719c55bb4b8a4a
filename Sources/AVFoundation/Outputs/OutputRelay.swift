import MediaCore
import Playhead

/// Passes the frames of an item to an `AVPlayerItemOutput`. The item retains the relay, and the relay the output.
final class OutputRelay: PlayerItemOutput, FrameKeeping {
    let owner: AVPlayerItemOutput

    init(_ owner: AVPlayerItemOutput) { self.owner = owner }

    static func remove(_ output: AVPlayerItemOutput, from item: PlayerItem) {
        for case let relay as OutputRelay in item.outputs where relay.owner === output { item.remove(relay) }
    }

    var item: PlayerItem? {
        get { owner.output.item }
        set { owner.output.item = newValue }
    }

    var suppressesPlayerRendering: Bool { owner.output.suppressesPlayerRendering }

    func receive(_ frame: VideoFrame) {
        let isJump = owner.output.isJump(to: frame)
        owner.output.receive(frame)
        owner.didReceive(frame, afterJump: isJump)
    }

    func clear() { owner.output.clear() }
}
