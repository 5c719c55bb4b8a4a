import AVFoundation

/// Shows a view until its clip has been played three times.
final class Screen: NSObject, LoopingVideoViewDelegate {
    let view = LoopingVideoView(frame: CGRect(x: 0, y: 0, width: 320, height: 180))
    private var observation: NSKeyValueObservation?

    func show(_ url: URL) {
        view.delegate = self
        observation = view.observe(\.loopCount, options: [.new]) { view, _ in
            print("loop count \(view.loopCount)")
        }
        view.videoURL = url
    }

    func videoViewDidBecomeReady(_ view: LoopingVideoView) { print("ready") }

    func videoView(_ view: LoopingVideoView, didLoop count: Int) {
        print("loop \(count)")
        guard count == 3 else { return }
        NotificationCenter.default.post(name: UIApplication.didEnterBackgroundNotification, object: nil)
        print(
            "paused \(view.playerLayer.player?.rate == 0), fill \(view.playerLayer.videoGravity == .resizeAspectFill)"
        )
        view.videoURL = nil
        print("player \(view.playerLayer.player == nil ? "none" : "one")")
        exit(0)
    }
}

let screen = Screen()
screen.show(URL(fileURLWithPath: CommandLine.arguments[1]))
RunLoop.main.run()
