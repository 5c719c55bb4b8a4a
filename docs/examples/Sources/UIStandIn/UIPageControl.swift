import AVFoundation

/// A row of dots, one of which is white.
open class UIPageControl: UIView {
    open var numberOfPages = 0 { didSet { makeDots() } }
    open var currentPage = 0 { didSet { color() } }

    private func makeDots() {
        for dot in subviews { dot.removeFromSuperview() }
        let left = (frame.width - Double(numberOfPages) * 16) / 2
        for page in 0..<numberOfPages {
            addSubview(UIView(frame: CGRect(x: left + Double(page) * 16 + 4, y: 4, width: 8, height: 8)))
        }
        color()
    }

    private func color() {
        for (page, dot) in subviews.enumerated() {
            dot.backgroundColor = page == currentPage ? .white : .gray
        }
    }
}
