// Players in the cells of a collection. A cell plays exactly while all of it is visible; on each scroll event the first and the last
// visible cell are checked. The view of a cell has a player layer as its layer.

import AVFoundation
import DemoScreen
import UIStandIn

let screen = Screen("FILE...", width: 340, height: 420) { !$0.isEmpty }
let clips = screen.arguments.map { URL(fileURLWithPath: $0) }

final class PlayerView: UIView {
    override class var layerClass: CALayer.Type { AVPlayerLayer.self }

    var playerLayer: AVPlayerLayer? { layer as? AVPlayerLayer }

    var player: AVPlayer? {
        get { playerLayer?.player }
        set { playerLayer?.player = newValue }
    }
}

final class ClipCell: UICollectionViewCell {
    private let playerView = PlayerView()
    private var player: AVPlayer?
    var url: URL?
    var isPlaying: Bool { player.map { $0.rate != 0 } ?? false }

    override func awakeFromNib() {
        contentView.backgroundColor = .gray
        contentView.addSubview(playerView)
    }

    override func layoutSubviews() {
        super.layoutSubviews()
        playerView.frame = contentView.bounds
    }

    func playVideo() {
        guard let url else { return }
        let player = AVPlayer(url: url)
        player.isMuted = true
        player.playImmediately(atRate: 1)
        playerView.player = player
        self.player = player
    }

    func stopVideo() { player?.pause() }
}

final class ClipList: UICollectionViewDataSource, UICollectionViewDelegate {
    func collectionView(_ collectionView: UICollectionView, numberOfItemsInSection section: Int) -> Int { 12 }

    func collectionView(_ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath)
        -> UICollectionViewCell
    {
        let cell = collectionView.dequeueReusableCell(withReuseIdentifier: "clip", for: indexPath)
        (cell as? ClipCell)?.url = clips[indexPath.item % clips.count]
        return cell
    }

    func collectionView(
        _ collectionView: UICollectionView,
        didEndDisplaying cell: UICollectionViewCell,
        forItemAt indexPath: IndexPath
    ) { (cell as? ClipCell)?.stopVideo() }

    func scrollViewDidScroll(_ scrollView: UIScrollView) {
        guard let collectionView = scrollView as? UICollectionView else { return }
        let visible = collectionView.indexPathsForVisibleItems.sorted()
        for indexPath in Set([visible.first, visible.last].compactMap { $0 }) {
            check(indexPath, in: collectionView)
        }
    }

    func check(_ indexPath: IndexPath, in collectionView: UICollectionView) {
        guard let cell = collectionView.cellForItem(at: indexPath) as? ClipCell,
            let frame = collectionView.layoutAttributesForItem(at: indexPath)?.frame
        else { return }
        let isWhollyVisible = collectionView.bounds.contains(frame)
        if isWhollyVisible, !cell.isPlaying {
            print("cell \(indexPath.item) plays")
            cell.playVideo()
        } else if !isWhollyVisible, cell.isPlaying {
            print("cell \(indexPath.item) stops")
            cell.stopVideo()
        }
    }
}

var layout = UICollectionViewFlowLayout()
layout.itemSize = CGSize(width: 320, height: 180)
let collection = UICollectionView(
    frame: CGRect(x: 0, y: 0, width: 340, height: 420),
    collectionViewLayout: layout
)
let list = ClipList()
collection.register(ClipCell.self, forCellWithReuseIdentifier: "clip")
collection.dataSource = list
collection.delegate = list
collection.layer.display(in: screen.composite)
collection.reloadData()
for indexPath in collection.indexPathsForVisibleItems { list.check(indexPath, in: collection) }
try await screen.wait(seconds: 1)

for offset in [60.0, 190, 950] {
    try await collection.drag(to: CGPoint(x: 0, y: offset), seconds: 0.5)
    try await screen.wait(seconds: 0.2)
    try await screen.wait(seconds: 1)
}
try await screen.finish(columns: 4)
