import AVFoundation
import Playhead
import WindowSink

@MainActor func show(_ player: AVPlayer) -> AVPlayerLayer {
    let rootLayer = AVPlayerLayer(player: player)
    rootLayer.frame = CGRect(x: 0, y: 0, width: 640, height: 360)
    let screen = CompositeSink(size: PixelSize(width: 640, height: 360))
    screen.add(WindowSink(title: "player"))
    rootLayer.display(in: screen)
    return rootLayer  // for the application to retain
}
