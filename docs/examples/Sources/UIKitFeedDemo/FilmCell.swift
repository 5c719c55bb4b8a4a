import AVFoundation
import UIStandIn

/// A row with the first frame of its film, and a player while it plays.
final class FilmCell: UICollectionViewCell {
    private let preview = UIImageView()
    private var playerView: UIView?
    private var playerLayer: AVPlayerLayer?
    private var player: AVPlayer?
    private var endObserver: (any NSObjectProtocol)?

    override func awakeFromNib() {
        preview.backgroundColor = .gray
        contentView.addSubview(preview)
    }

    override func layoutSubviews() {
        super.layoutSubviews()
        preview.frame = contentView.bounds
    }

    override func prepareForReuse() {
        stop()
        preview.image = nil
    }

    func show(_ image: UIImage) { preview.image = image }

    /// Plays an item again and again, unless the cell plays already.
    func play(_ makeItem: () -> AVPlayerItem?) {
        guard playerLayer == nil, let item = makeItem() else { return }
        let player = AVPlayer(playerItem: item)
        player.isMuted = true
        player.actionAtItemEnd = .none
        let playerView = UIView(frame: contentView.bounds)
        let playerLayer = AVPlayerLayer(player: player)
        playerLayer.videoGravity = .resize
        playerLayer.frame = playerView.bounds
        playerView.layer.addSublayer(playerLayer)
        contentView.addSubview(playerView)
        endObserver = NotificationCenter.default.addObserver(
            forName: .AVPlayerItemDidPlayToEndTime,
            object: item,
            queue: .main
        ) { [weak player] _ in
            player?.seek(to: .zero)
        }
        player.play()
        (self.player, self.playerView, self.playerLayer) = (player, playerView, playerLayer)
    }

    func pause() { player?.pause() }
    func resume() { player?.play() }

    /// Removes the layer and its view, so that the cell never shows another row's film.
    func stop() {
        if let endObserver { NotificationCenter.default.removeObserver(endObserver) }
        player?.pause()
        playerLayer?.removeFromSuperlayer()
        playerView?.removeFromSuperview()
        (endObserver, player, playerView, playerLayer) = (nil, nil, nil, nil)
    }
}
