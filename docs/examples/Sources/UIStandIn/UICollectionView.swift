public import AVFoundation

extension IndexPath {
    public init(item: Int, section: Int) { self.init(indexes: [section, item]) }
    public init(row: Int, section: Int) { self.init(indexes: [section, row]) }
    public var item: Int { self[1] }
    public var row: Int { self[1] }
}

/// A cell, which shows another item when it is used again.
open class UICollectionViewCell: UIView {
    public let contentView = UIView()

    public required override init(frame: CGRect) {
        super.init(frame: frame)
        addSubview(contentView)
        contentView.frame = bounds
        awakeFromNib()
    }

    /// Called once, after the cell was made.
    open func awakeFromNib() {}
    /// Called before the cell shows another item.
    open func prepareForReuse() {}

    open override func layoutSubviews() { contentView.frame = CGRect(origin: .zero, size: frame.size) }
}

public struct UICollectionViewLayoutAttributes: Sendable {
    public var frame: CGRect
}

/// The places of cells: rows from left to right, or pages.
public struct UICollectionViewFlowLayout: Sendable {
    public enum ScrollDirection: Sendable { case vertical, horizontal }

    public var itemSize = CGSize(width: 50, height: 50)
    public var spacing = 10.0
    public var columns = 1
    public var scrollDirection = ScrollDirection.vertical

    public init() {}

    func frame(_ item: Int) -> CGRect {
        if scrollDirection == .horizontal {
            return CGRect(origin: CGPoint(x: Double(item) * itemSize.width, y: 0), size: itemSize)
        }
        let (column, row) = (Double(item % columns), Double(item / columns))
        let x = spacing + column * (itemSize.width + spacing)
        return CGRect(origin: CGPoint(x: x, y: spacing + row * (itemSize.height + spacing)), size: itemSize)
    }
}

@MainActor public protocol UICollectionViewDataSource: AnyObject {
    func collectionView(_ collectionView: UICollectionView, numberOfItemsInSection section: Int) -> Int
    func collectionView(_ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath)
        -> UICollectionViewCell
}

@MainActor public protocol UICollectionViewDelegate: UIScrollViewDelegate {
    func collectionView(
        _ collectionView: UICollectionView,
        didEndDisplaying cell: UICollectionViewCell,
        forItemAt indexPath: IndexPath
    )
}

extension UICollectionViewDelegate {
    public func collectionView(
        _ collectionView: UICollectionView,
        didEndDisplaying cell: UICollectionViewCell,
        forItemAt indexPath: IndexPath
    ) {}
}

/// A view that has cells for the items that are visible.
open class UICollectionView: UIScrollView {
    open weak var dataSource: (any UICollectionViewDataSource)?
    private let layout: UICollectionViewFlowLayout
    private var cellClass: UICollectionViewCell.Type = UICollectionViewCell.self
    private var shown: [IndexPath: UICollectionViewCell] = [:]
    private var unused: [UICollectionViewCell] = []

    public init(frame: CGRect, collectionViewLayout layout: UICollectionViewFlowLayout) {
        self.layout = layout
        super.init(frame: frame)
    }

    public func register(
        _ cellClass: UICollectionViewCell.Type,
        forCellWithReuseIdentifier identifier: String
    ) {
        self.cellClass = cellClass
    }

    public func dequeueReusableCell(withReuseIdentifier identifier: String, for indexPath: IndexPath)
        -> UICollectionViewCell
    {
        guard let cell = unused.popLast() else { return cellClass.init(frame: layout.frame(indexPath.item)) }
        cell.prepareForReuse()
        return cell
    }

    public var visibleCells: [UICollectionViewCell] { indexPathsForVisibleItems.compactMap { shown[$0] } }
    public var indexPathsForVisibleItems: [IndexPath] { shown.keys.sorted() }
    public func cellForItem(at indexPath: IndexPath) -> UICollectionViewCell? { shown[indexPath] }

    public func layoutAttributesForItem(at indexPath: IndexPath) -> UICollectionViewLayoutAttributes? {
        UICollectionViewLayoutAttributes(frame: layout.frame(indexPath.item))
    }

    public func reloadData() {
        for indexPath in indexPathsForVisibleItems { endDisplaying(indexPath) }
        contentsDidMove()
    }

    private var count: Int { dataSource?.collectionView(self, numberOfItemsInSection: 0) ?? 0 }

    open override func contentsDidMove() {
        contentSize = count == 0 ? .zero : CGSize(width: frame.width, height: layout.frame(count - 1).maxY)
        for indexPath in indexPathsForVisibleItems where !layout.frame(indexPath.item).intersects(bounds) {
            endDisplaying(indexPath)
        }
        for item in 0..<count where layout.frame(item).intersects(bounds) {
            let indexPath = IndexPath(item: item, section: 0)
            guard shown[indexPath] == nil, let dataSource else { continue }
            let cell = dataSource.collectionView(self, cellForItemAt: indexPath)
            cell.frame = layout.frame(item)
            shown[indexPath] = cell
            addSubview(cell)
        }
    }

    private func endDisplaying(_ indexPath: IndexPath) {
        guard let cell = shown.removeValue(forKey: indexPath) else { return }
        cell.removeFromSuperview()
        (delegate as? any UICollectionViewDelegate)?
            .collectionView(self, didEndDisplaying: cell, forItemAt: indexPath)
        unused.append(cell)
    }
}
