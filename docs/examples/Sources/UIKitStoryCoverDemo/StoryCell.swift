import AVFoundation
import UIStandIn

/// A cell that plays a story without sound, cropped to its container, again and again.
final class StoryCell: UICollectionViewCell {
    private let container = UIView()
    private let player = AVPlayer()
    private var playerLayer: AVPlayerLayer?
    private var endObserver: (any NSObjectProtocol)?

    /// The story, a file that a cache has stored already.
    var url: URL? {
        didSet { show() }
    }

    override func awakeFromNib() {
        super.awakeFromNib()
        contentView.addSubview(container)
        let playerLayer = AVPlayerLayer(player: player)
        playerLayer.videoGravity = .resizeAspectFill
        container.layer.addSublayer(playerLayer)
        self.playerLayer = playerLayer
        player.isMuted = true
    }

    override func layoutSublayers(of layer: CALayer) {
        super.layoutSublayers(of: layer)
        container.frame = contentView.bounds
        playerLayer?.frame = container.bounds
    }

    override func prepareForReuse() {
        super.prepareForReuse()
        container.isHidden = true
    }

    private func show() {
        removeObserver()
        guard let url else { return player.replaceCurrentItem(with: nil) }
        container.isHidden = false
        player.replaceCurrentItem(with: AVPlayerItem(url: url))
        endObserver = NotificationCenter.default.addObserver(
            forName: .AVPlayerItemDidPlayToEndTime,
            object: player.currentItem,
            queue: .main
        ) { [weak self] _ in
            MainActor.assumeIsolated { self?.didPlayToEnd() }
        }
        player.play()
    }

    private func didPlayToEnd() {
        print("end of \(url?.lastPathComponent ?? "-"), hidden: \(container.isHidden)")
        guard !container.isHidden else { return }
        player.seek(to: .zero)
        player.play()
    }

    private func removeObserver() {
        if let endObserver { NotificationCenter.default.removeObserver(endObserver) }
        endObserver = nil
    }
}
