import AVFoundation
import UIStandIn

extension AVPlayer {
    /// Whether the player plays, or waits in order to play.
    nonisolated var isPlaying: Bool { rate != 0 && error == nil }
}

/// A view that plays a clip once its tracks are loaded.
final class ClipView: UIView {
    override class var layerClass: CALayer.Type { AVPlayerLayer.self }

    private(set) var player: AVPlayer?
    private var url: URL?
    private var loadError: (any Error)?
    private var playsWhenLoaded = false
    private var endObserver: (any NSObjectProtocol)?
    var didPlayToEnd: (() -> Void)?

    private var playerLayer: AVPlayerLayer? { layer as? AVPlayerLayer }

    var isMuted = true {
        didSet { player?.isMuted = isMuted }
    }

    /// Loads a clip, unless it is prepared already.
    func prepareToPlay(withUrl url: URL, shouldPlayImmediately: Bool) {
        playsWhenLoaded = shouldPlayImmediately
        if self.url == url, loadError == nil { return }
        self.url = url
        loadError = nil
        let asset = AVURLAsset(url: url, options: [AVURLAssetPreferPreciseDurationAndTimingKey: true])
        asset.loadValuesAsynchronously(forKeys: ["tracks"]) { [weak self] in
            DispatchQueue.main.async { self?.show(asset, at: url) }
        }
    }

    private func show(_ asset: AVURLAsset, at url: URL) {
        guard self.url == url else { return }
        var error: NSError?
        guard asset.statusOfValue(forKey: "tracks", error: &error) == .loaded else {
            print("\(url.lastPathComponent): \(error?.localizedDescription ?? "not loaded")")
            loadError = error
            return
        }
        let item = AVPlayerItem(asset: asset)
        let player = AVPlayer(playerItem: item)
        player.isMuted = isMuted
        self.player = player
        playerLayer?.player = player
        playerLayer?.videoGravity = .resizeAspectFill
        if let endObserver { NotificationCenter.default.removeObserver(endObserver) }
        endObserver = NotificationCenter.default.addObserver(
            forName: .AVPlayerItemDidPlayToEndTime,
            object: item,
            queue: .main
        ) { [weak self] _ in
            MainActor.assumeIsolated { self?.didPlayToEnd?() }
        }
        if playsWhenLoaded { player.play() }
    }

    func play() {
        if player?.isPlaying != true { player?.play() }
    }

    /// Pauses, and returns to the beginning.
    func pause() {
        playsWhenLoaded = false
        player?.pause()
        player?.seek(to: .zero)
    }
}
