import AVFoundation
import UIStandIn

/// A page of the banner: a clip or an image.
final class BannerCell: UICollectionViewCell {
    private(set) var clip: ClipView?
    private let imageView = UIImageView()

    override func awakeFromNib() {
        imageView.contentMode = .scaleAspectFill
        contentView.addSubview(imageView)
    }

    override func layoutSubviews() {
        super.layoutSubviews()
        imageView.frame = contentView.bounds
        clip?.frame = contentView.bounds
    }

    override func prepareForReuse() {
        clip?.removeFromSuperview()
        clip = nil
        imageView.image = nil
    }

    func show(_ image: UIImage) { imageView.image = image }

    func show(_ url: URL, isMuted: Bool, didPlayToEnd: @escaping () -> Void) {
        let clip = ClipView(frame: contentView.bounds)
        clip.isMuted = isMuted
        clip.didPlayToEnd = didPlayToEnd
        contentView.addSubview(clip)
        clip.prepareToPlay(withUrl: url, shouldPlayImmediately: false)
        self.clip = clip
    }
}
