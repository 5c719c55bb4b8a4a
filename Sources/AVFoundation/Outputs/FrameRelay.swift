import MediaCore
import Playhead

/// Passes the frames of an item to an `AVPlayerItemVideoOutput`.
final class FrameRelay: OutputRelay, FrameKeeping {
    private let videoOutput: AVPlayerItemVideoOutput
    var owner: AVPlayerItemOutput { videoOutput }

    init(_ output: AVPlayerItemVideoOutput) { videoOutput = output }

    func receive(_ frame: VideoFrame) {
        let isJump = videoOutput.video.isJump(to: frame)
        videoOutput.video.receive(frame)
        videoOutput.didReceive(frame, afterJump: isJump)
    }

    func clear() { videoOutput.video.clear() }
}
