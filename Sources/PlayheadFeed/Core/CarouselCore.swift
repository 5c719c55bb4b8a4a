import Foundation
public import MediaCore

/// An endless banner of pages that lie side by side, of clips and pictures: where each page is, which one is shown, and
/// when it turns to the next. A value, as `FeedCore` is.
///
/// Positions count pages and go on for ever: with three pages, 3 shows page 0 again, and so does -3. A page is where it
/// is nearest to the middle of the view, so it is there once and needs no copies of itself at the ends.
public struct CarouselCore: Sendable {
    /// What is on the pages.
    public private(set) var pages: [FeedKind]
    /// What is shown, in pages; between two whole numbers while it moves.
    public private(set) var position = 0.0
    /// Somebody holds it.
    public private(set) var isTouched = false
    /// The picture's time began; nil: the page is a clip, or nobody looks.
    private var shownSince: HostTime?
    private var isOnScreen = true
    /// The clip of the page that is shown is over, and a finger or another screen kept it from turning.
    private var isOver = false
    private static let width = 1000.0

    /// Begins at the first page.
    public init(_ pages: [FeedKind]) { self.pages = pages }

    /// The page that is shown most of, for an indicator: 0 is the first; 0 without pages.
    public var index: Int { page(at: position.rounded()) }

    /// Which page is at a position.
    public func page(at position: Double) -> Int {
        guard !pages.isEmpty, position.isFinite else { return 0 }
        let rest = position.truncatingRemainder(dividingBy: Double(pages.count))
        return (Int(rest) + pages.count) % pages.count
    }

    /// The view, for a feed.
    public var viewport: FeedViewport {
        FeedViewport(CGRect(x: position * Self.width, y: 0, width: Self.width, height: 1))
    }

    /// Each page where it is nearest to the view.
    public var cells: [FeedCell<Int>] {
        let count = Double(pages.count)
        return pages.enumerated().map { page, kind in
            let place = Double(page) + count * ((position - Double(page)) / count).rounded()
            return FeedCell(
                page,
                frame: CGRect(x: place * Self.width, y: 0, width: Self.width, height: 1),
                kind: kind
            )
        }
    }

    /// When a picture's time is over, or at once where a clip's is; nil: it does not turn by itself now.
    public var nextTurn: HostTime? {
        guard let shownSince, pages.count > 1 else { return nil }
        if isOver { return shownSince }
        guard case .picture(let seconds) = pages[index] else { return nil }
        return shownSince.advanced(by: Int64(max(0, min(seconds, 1e6)) * 1e9))
    }

    /// It moves, by a finger or by itself, or stands at a whole number.
    public mutating func move(to position: Double, isTouched: Bool, at now: HostTime) {
        guard position.isFinite else { return }
        let before = index
        defer { if index != before { isOver = false } }
        // Far from zero a number has no room for parts of a page.
        let bounded = abs(position) < 1e9 ? position : Double(page(at: position.rounded()))
        self.position = bounded
        self.isTouched = isTouched
        if isTouched {
            shownSince = nil
        } else if shownSince == nil || index != before {
            shownSince = isOnScreen ? now : nil
        }
    }

    /// To the place of a page that is nearest to the view. Where the page is shown already nothing moves, so that what
    /// plays there plays on.
    public mutating func jump(to page: Int, at now: HostTime) {
        guard !pages.isEmpty else { return }
        let count = Double(pages.count)
        let wanted = Double(self.page(at: Double(page)))
        move(
            to: wanted + count * ((position.rounded() - wanted) / count).rounded(),
            isTouched: false,
            at: now
        )
    }

    /// Under another screen no picture's time passes.
    public mutating func setOnScreen(_ isOnScreen: Bool, at now: HostTime) {
        self.isOnScreen = isOnScreen
        shownSince = isOnScreen && !isTouched ? now : nil
    }

    /// The position to turn to, where the time of the picture that is shown is over, or its clip; nil: not yet.
    public func turn(at now: HostTime) -> Double? {
        guard let nextTurn, now >= nextTurn else { return nil }
        return position.rounded() + 1
    }

    /// The same where a clip was played to its end. Held by a finger or unseen, it turns when that is over (`nextTurn`).
    public mutating func turn(afterEndOf page: Int) -> Double? {
        guard page == index, pages.count > 1 else { return nil }
        isOver = isTouched || !isOnScreen
        return isOver ? nil : position.rounded() + 1
    }
}
