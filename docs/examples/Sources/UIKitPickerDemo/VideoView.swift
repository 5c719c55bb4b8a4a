import AVFoundation
import UIStandIn

/// A view that plays the clip at a URL, once or again and again.
final class VideoView: UIView {
    enum Repeat {
        case once
        case loop
    }

    override class var layerClass: CALayer.Type { AVPlayerLayer.self }

    var `repeat`: Repeat = .once
    private(set) var player: AVPlayer?
    private static let statusPath = "status"
    private static let ratePath = "rate"

    private var playerLayer: AVPlayerLayer? { layer as? AVPlayerLayer }

    /// The clip. A new one plays at once; nil stops playback.
    var url: URL? {
        didSet {
            teardown()
            if let url { setup(url) }
        }
    }

    override var contentMode: ContentMode {
        didSet {
            playerLayer?.videoGravity =
                switch contentMode {
                case .scaleAspectFit: .resizeAspect
                case .scaleAspectFill: .resizeAspectFill
                default: .resize
                }
        }
    }

    private func setup(_ url: URL) {
        let player = AVPlayer(url: url)
        self.player = player
        playerLayer?.player = player
        player.isMuted = true
        player.addObserver(self, forKeyPath: Self.ratePath, options: [.new], context: nil)
        player.currentItem?
            .addObserver(self, forKeyPath: Self.statusPath, options: [.old, .new], context: nil)
        NotificationCenter.default.addObserver(
            self,
            selector: Selector(VideoView.didPlayToEnd(_:)),
            name: .AVPlayerItemDidPlayToEndTime,
            object: player.currentItem
        )
        NotificationCenter.default.addObserver(
            self,
            selector: Selector(VideoView.failedToPlayToEnd(_:)),
            name: .AVPlayerItemFailedToPlayToEndTime,
            object: player.currentItem
        )
        player.play()
    }

    private func teardown() {
        guard let player else { return }
        NotificationCenter.default.removeObserver(self)
        player.removeObserver(self, forKeyPath: Self.ratePath)
        player.currentItem?.removeObserver(self, forKeyPath: Self.statusPath)
        player.pause()
        playerLayer?.player = nil
        self.player = nil
    }

    override func observeValue(
        forKeyPath keyPath: String?,
        of object: Any?,
        change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        switch keyPath {
        case Self.statusPath:
            guard let number = change?[.newKey] as? NSNumber,
                let status = AVPlayerItem.Status(rawValue: number.intValue)
            else { return }
            print("status \(status)")
            if status == .failed { url = nil }
        case Self.ratePath:
            guard let rate = change?[.newKey] as? Float, rate == 0 else { return }
            resumeUnlessAtEnd()
        default:
            super.observeValue(forKeyPath: keyPath, of: object, change: change, context: context)
        }
    }

    /// A rate of 0 before the end is a stall: playback is continued.
    private func resumeUnlessAtEnd() {
        guard let player, let item = player.currentItem, !item.isPlaybackBufferEmpty else { return }
        let isAtEnd = CMTimeGetSeconds(item.duration) == CMTimeGetSeconds(player.currentTime())
        print("rate 0, at the end: \(isAtEnd)")
        if !isAtEnd { player.play() }
    }

    private func didPlayToEnd(_ notification: Notification) {
        print("end")
        guard `repeat` == .loop else { return }
        player?.seek(to: .zero)
        player?.play()
    }

    private func failedToPlayToEnd(_ notification: Notification) { url = nil }
}
