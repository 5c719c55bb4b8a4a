// swift-format-ignore-file

import CoreGraphics
import Foundation
import AVFoundation
import UIKit

private var playerContext = 0

/// What a `ClipPlayer` reports.
@objc public protocol ClipPlayerDelegate: class {
    func playerIsReady(_ player: ClipPlayer)
    @objc optional func player(_ player: ClipPlayer, didChange state: ClipPlayer.State)
    @objc optional func playerDidEnd(_ player: ClipPlayer)
    @objc optional func player(_ player: ClipPlayer, titleAt index: Int) -> String
    /// Not implemented by the delegate of this program.
    @objc optional func player(_ player: ClipPlayer, limitAt index: Int) -> Int
}

@objcMembers
open class ClipPlayer: NSObject {
    @objc(ClipPlayerState) public enum State: Int {
        case idle, ready, playing, failed
    }

    @objc public dynamic private(set) var state: State = .idle {
        didSet {
            if state != oldValue { delegate?.player?(self, didChange: state) }
        }
    }
    @objc dynamic var laps = 0
    public weak var delegate: ClipPlayerDelegate?

    private let player = AVPlayer()
    private var timer: Timer?
    fileprivate(set) var ticks = 0

    public override init() {
        super.init()
        player.isMuted = true
        player.addObserver(
            self,
            forKeyPath: #keyPath(AVPlayer.timeControlStatus),
            options: [.new],
            context: &playerContext
        )
        player.addObserver(self, forKeyPath: #keyPath(AVPlayer.currentItem.status), options: [.new], context: &playerContext)
    }

    deinit {
        player.removeObserver(self, forKeyPath: #keyPath(AVPlayer.timeControlStatus), context: &playerContext)
        player.removeObserver(self, forKeyPath: #keyPath(AVPlayer.currentItem.status), context: &playerContext)
        NotificationCenter.default.removeObserver(self)
    }

    @objc public func load(_ url: URL) {
        let item = AVPlayerItem(url: url)
        NotificationCenter.default.addObserver(self, selector: #selector(playerItemDidReachEnd(notification:)), name: .AVPlayerItemDidPlayToEndTime, object: item)
        NotificationCenter.default.addObserver(self,
                                               selector: #selector(ClipPlayer.jumped),
                                               name: NSNotification.Name.AVPlayerItemTimeJumped,
                                               object: nil)
        player.replaceCurrentItem(with: item)
        timer = Timer.scheduledTimer(timeInterval: 0.2, target: self, selector: #selector(tick(_:)), userInfo: nil, repeats: true)
    }

    @IBAction func playPause(_ sender: Any?) {
        if player.rate == 0 { player.play() } else { player.pause() }
    }

    func close() {
        timer?.invalidate()
        timer = nil
        player.replaceCurrentItem(with: nil)
    }

    @objc private func tick(_ timer: Timer) { ticks += 1 }
    @objc private func jumped() {}
}

// MARK: - Observing

extension ClipPlayer {
    override open func observeValue(
        forKeyPath keyPath: String?,
        of object: Any?,
        change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        guard context == &playerContext else {
            super.observeValue(forKeyPath: keyPath, of: object, change: change, context: context)
            return
        }
        switch keyPath {
        case #keyPath(AVPlayer.currentItem.status):
            guard let number = change?[.newKey] as? NSNumber else { return }
            switch AVPlayerItem.Status(rawValue: number.intValue) {
            case .readyToPlay:
                state = .ready
                print("title: \(delegate?.player?(self, titleAt: 0) ?? "-")")
                print("limit: \(delegate?.player?(self, limitAt: 0).description ?? "none")")
                delegate?.playerIsReady(self)
            case .failed: state = .failed
            default: break
            }
        case #keyPath(AVPlayer.timeControlStatus):
            if player.timeControlStatus == .playing { state = .playing }
        default: break
        }
    }

    @objc fileprivate func playerItemDidReachEnd(notification: NSNotification) {
        laps += 1
        print("end of \((notification.object as? AVPlayerItem) === player.currentItem ? "the item" : "another item")")
        if laps < 2 {
            player.seek(to: CMTime(seconds: 2.5, preferredTimescale: 600)) { [weak self] _ in self?.player.play() }
        } else {
            delegate?.playerDidEnd?(self)
        }
    }
}
