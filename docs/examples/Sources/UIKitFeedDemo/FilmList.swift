import AVFoundation
import UIStandIn

/// A list of rows. Once it has not moved for 0.3 s, the first row of which at least 85 % is visible plays.
final class FilmList: UICollectionViewDataSource, UICollectionViewDelegate {
    private let previews: [UIImage]
    private let cache: FilmCache
    private weak var collection: UICollectionView?
    private var settling: Task<Void, Never>?
    private var playing: Int?

    init(_ collection: UICollectionView, previews: [UIImage], cache: FilmCache) {
        self.collection = collection
        self.previews = previews
        self.cache = cache
    }

    func collectionView(_ collectionView: UICollectionView, numberOfItemsInSection section: Int)
        -> Int
    { 8 }

    func collectionView(_ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath)
        -> UICollectionViewCell
    {
        let cell = collectionView.dequeueReusableCell(withReuseIdentifier: "film", for: indexPath)
        (cell as? FilmCell)?.show(previews[indexPath.row % previews.count])
        return cell
    }

    func collectionView(
        _ collectionView: UICollectionView,
        didEndDisplaying cell: UICollectionViewCell,
        forItemAt indexPath: IndexPath
    ) {
        (cell as? FilmCell)?.stop()
        cache.cancel(indexPath.row)
        if playing == indexPath.row { playing = nil }
    }

    func scrollViewDidScroll(_ scrollView: UIScrollView) {
        settling?.cancel()
        settling = Task { [weak self] in
            do {
                try await Task.sleep(for: .milliseconds(300))
            } catch {
                return  // It moves again.
            }
            self?.playTopRow()
        }
    }

    func playTopRow() {
        guard let collection else { return }
        let chosen = collection.indexPathsForVisibleItems.first { indexPath in
            guard let frame = collection.layoutAttributesForItem(at: indexPath)?.frame else {
                return false
            }
            let visible = frame.intersection(collection.bounds)
            return visible.height >= 0.85 * frame.height
        }
        if let playing, playing != chosen?.row { cell(playing)?.pause() }
        playing = chosen?.row
        guard let row = chosen?.row, let cell = cell(row) else { return }
        cell.play {
            do {
                return try cache.asset(row).map { AVPlayerItem(asset: $0) }
            } catch {
                print("row \(row): \(error.localizedDescription)")
                return nil
            }
        }
        cell.resume()
    }

    private func cell(_ row: Int) -> FilmCell? {
        collection?.cellForItem(at: IndexPath(row: row, section: 0)) as? FilmCell
    }
}
