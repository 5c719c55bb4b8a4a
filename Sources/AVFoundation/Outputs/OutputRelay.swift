import MediaCore
import Playhead

/// An object that an item retains in place of an `AVPlayerItemOutput`, which the relay retains.
protocol OutputRelay: PlayerItemOutput {
    var owner: AVPlayerItemOutput { get }
}

extension OutputRelay {
    var item: PlayerItem? {
        get { owner.output.item }
        set { owner.output.item = newValue }
    }

    var suppressesPlayerRendering: Bool { owner.output.suppressesPlayerRendering }
}
