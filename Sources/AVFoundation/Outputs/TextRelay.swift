import Playhead

/// Retains an output for subtitles or metadata, whose notices the player delivers to its `output`.
final class TextRelay: OutputRelay, TextOutputRelay {
    let owner: AVPlayerItemOutput
    var output: any PlayerItemOutput { owner.output }

    init(_ output: AVPlayerItemOutput) { owner = output }
}
