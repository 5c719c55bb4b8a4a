import MediaCore
import Playhead

/// What an item retains in place of an `AVPlayerItemOutput`. The relay retains the output.
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
