import AVFoundation
import UIStandIn

/// An endless banner of clips and images: the last page is repeated before the first one, and the first one after the last. When paging
/// comes to rest on a copy, the banner jumps to the original.
final class Banner: UIView, UICollectionViewDataSource, UICollectionViewDelegate {
    enum Page {
        case clip(URL)
        case image(UIImage)
    }

    let collection: UICollectionView
    let pageControl = UIPageControl()
    private let pages: [Page]
    private let contents: [Page]
    private var turning: Task<Void, any Error>?

    /// One switch for all clips.
    var isMuted = true {
        didSet {
            for case let cell as BannerCell in collection.visibleCells { cell.clip?.isMuted = isMuted }
        }
    }

    init(frame: CGRect, pages: [Page]) {
        self.pages = pages
        contents = pages.suffix(1) + pages + pages.prefix(1)
        var layout = UICollectionViewFlowLayout()
        layout.itemSize = frame.size
        layout.scrollDirection = .horizontal
        collection = UICollectionView(
            frame: CGRect(origin: .zero, size: frame.size),
            collectionViewLayout: layout
        )
        super.init(frame: frame)
        addSubview(collection)
        pageControl.frame = CGRect(x: 0, y: frame.height - 20, width: frame.width, height: 16)
        pageControl.numberOfPages = pages.count
        addSubview(pageControl)
        collection.register(BannerCell.self, forCellWithReuseIdentifier: "page")
        collection.dataSource = self
        collection.delegate = self
        collection.contentOffset.x = frame.width
        collection.reloadData()
        settle()
    }

    private var index: Int { Int((collection.contentOffset.x / frame.width).rounded()) }

    func collectionView(_ collectionView: UICollectionView, numberOfItemsInSection section: Int) -> Int {
        contents.count
    }

    func collectionView(_ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath)
        -> UICollectionViewCell
    {
        let cell = collectionView.dequeueReusableCell(withReuseIdentifier: "page", for: indexPath)
        guard let page = cell as? BannerCell else { return cell }
        switch contents[indexPath.item] {
        case .image(let image): page.show(image)
        case .clip(let url): page.show(url, isMuted: isMuted) { [weak self] in self?.turn() }
        }
        return page
    }

    func scrollViewDidEndDecelerating(_ scrollView: UIScrollView) {
        // The copies are at both ends.
        if index == 0 { collection.contentOffset.x = frame.width * Double(pages.count) }
        if index == contents.count - 1 { collection.contentOffset.x = frame.width }
        settle()
    }

    /// Plays the first wholly visible clip, and pauses all others.
    private func settle() {
        pageControl.currentPage = index - 1
        print("page \(pageControl.currentPage)")
        var isFirst = true
        for indexPath in collection.indexPathsForVisibleItems {
            guard let clip = (collection.cellForItem(at: indexPath) as? BannerCell)?.clip else { continue }
            let frame = collection.layoutAttributesForItem(at: indexPath)?.frame ?? .zero
            if isFirst, collection.bounds.contains(frame), case .clip(let url) = contents[indexPath.item] {
                isFirst = false
                clip.prepareToPlay(withUrl: url, shouldPlayImmediately: true)
                clip.play()
            } else {
                clip.pause()
            }
        }
    }

    /// Turns to the next page.
    func turn() {
        turning?.cancel()
        turning = Task {
            try await collection.drag(
                to: CGPoint(x: frame.width * Double(index + 1), y: 0),
                seconds: 0.3
            )
        }
    }
}
