// swift-format-ignore-file

import UIKit
import AVFoundation

@objc protocol LoopingVideoViewDelegate: NSObjectProtocol {
    @objc optional func videoViewDidBecomeReady(_ view: LoopingVideoView)
    @objc optional func videoView(_ view: LoopingVideoView, didLoop count: Int)
    @objc optional func videoView(_ view: LoopingVideoView, didFailWith error: Error?)
}

/// A view that plays a clip again and again.
@IBDesignable
class LoopingVideoView: UIView {
    private static var itemContext = 0
    private static var playerContext = 0

    @IBOutlet weak var delegate: LoopingVideoViewDelegate?
    @IBInspectable var playsAutomatically: Bool = true
    @IBInspectable var isMuted: Bool = true {
        didSet { player?.isMuted = isMuted }
    }
    @objc dynamic private(set) var loopCount = 0

    override class var layerClass: AnyClass { return AVPlayerLayer.self }
    // The view's layer is of `layerClass`.
    var playerLayer: AVPlayerLayer { return layer as! AVPlayerLayer }

    private var player: AVPlayer? {
        get { return playerLayer.player }
        set { playerLayer.player = newValue }
    }
    private var item: AVPlayerItem? {
        willSet {
            guard let item = item else { return }
            item.removeObserver(self, forKeyPath: #keyPath(AVPlayerItem.status), context: &LoopingVideoView.itemContext)
            NotificationCenter.default.removeObserver(self, name: .AVPlayerItemDidPlayToEndTime, object: item)
            NotificationCenter.default.removeObserver(self, name: .AVPlayerItemFailedToPlayToEndTime, object: item)
        }
        didSet {
            guard let item = item else { return }
            item.addObserver(self, forKeyPath: #keyPath(AVPlayerItem.status), options: [.initial, .new], context: &LoopingVideoView.itemContext)
            NotificationCenter.default.addObserver(self, selector: #selector(didPlayToEnd(_:)), name: .AVPlayerItemDidPlayToEndTime, object: item)
            NotificationCenter.default.addObserver(self, selector: #selector(failed(_:)), name: .AVPlayerItemFailedToPlayToEndTime, object: item)
        }
    }

    @objc var videoURL: URL? {
        didSet {
            guard oldValue != videoURL else { return }
            videoURL.map(load) ?? tearDown()
        }
    }

    override init(frame: CGRect) {
        super.init(frame: frame)
        setup()
    }

    required init?(coder: NSCoder) {
        super.init(coder: coder)
        setup()
    }

    deinit { tearDown() }

    private func setup() {
        playerLayer.videoGravity = .resizeAspectFill
        NotificationCenter.default.addObserver(self, selector: #selector(LoopingVideoView.pauseForBackground), name: UIApplication.didEnterBackgroundNotification, object: nil)
    }

    private func load(_ url: URL) {
        tearDown()
        let player = AVPlayer()
        player.isMuted = isMuted
        player.actionAtItemEnd = .none
        player.addObserver(self, forKeyPath: #keyPath(AVPlayer.timeControlStatus), options: [.old, .new], context: &LoopingVideoView.playerContext)
        self.player = player
        item = AVPlayerItem(asset: AVURLAsset(url: url))
        player.replaceCurrentItem(with: item)
        if playsAutomatically { player.play() }
    }

    @objc func tearDown() {
        item = nil
        player?.pause()
        player?.removeObserver(self, forKeyPath: #keyPath(AVPlayer.timeControlStatus), context: &LoopingVideoView.playerContext)
        player?.replaceCurrentItem(with: nil)
        player = nil
    }

    override func observeValue(forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey : Any]?, context: UnsafeMutableRawPointer?) {
        if context == &LoopingVideoView.itemContext {
            guard keyPath == #keyPath(AVPlayerItem.status) else { return }
            let status: AVPlayerItem.Status
            if let number = change?[.newKey] as? NSNumber {
                status = AVPlayerItem.Status(rawValue: number.intValue)!
            } else {
                status = .unknown
            }
            switch status {
            case .readyToPlay: delegate?.videoViewDidBecomeReady?(self)
            case .failed: delegate?.videoView?(self, didFailWith: item?.error)
            default: break
            }
        } else if context == &LoopingVideoView.playerContext {
            guard let value = change?[.newKey] as? Int, let status = AVPlayer.TimeControlStatus(rawValue: value) else { return }
            if status == .playing && change?[.oldKey] as? Int != value && loopCount == 0 { print("playing") }
        } else {
            super.observeValue(forKeyPath: keyPath, of: object, change: change, context: context)
        }
    }

    @objc private func didPlayToEnd(_ notification: Notification) {
        loopCount += 1
        delegate?.videoView?(self, didLoop: loopCount)
        (notification.object as? AVPlayerItem)?.seek(to: CMTimeMakeWithSeconds(2.5, preferredTimescale: 600), completionHandler: nil)
    }

    @objc private func failed(_ notification: NSNotification) {
        delegate?.videoView?(self, didFailWith: notification.userInfo?[AVPlayerItemFailedToPlayToEndTimeErrorKey] as? Error)
    }

    @objc private func pauseForBackground() { player?.pause() }
}
