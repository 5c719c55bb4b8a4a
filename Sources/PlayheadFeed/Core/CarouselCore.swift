import Foundation
public import MediaCore

/// The state of an endless carousel: which page is shown, where each page lies, and when the carousel advances.
///
/// The carousel is a value without clocks, players or I/O, as `FeedCore` is.
///
/// Positions are counted in pages and are unbounded: with three pages, positions 3 and -3 both show page 0. Each page
/// has one cell, which lies where it is nearest to the middle of the view. The ends need no copies of pages.
public struct CarouselCore: Sendable {
    /// The kind of each page, in order.
    public private(set) var pages: [FeedKind]
    /// The position that is shown, in pages. It lies between two whole numbers while the carousel moves.
    public private(set) var position = 0.0
    /// A Boolean value that indicates whether the user is dragging the carousel.
    public private(set) var isDragging = false
    /// The time from which the current page has been visible without being dragged. It is nil while the carousel is
    /// dragged or off screen.
    private var visibleSince: HostTime?
    private var isOnScreen = true
    private var isInBackground = false
    /// Whether the clip of the current page has ended while dragging, or being off screen, prevented the carousel from
    /// advancing.
    private var clipHasEnded = false
    /// The pages whose clips have failed since they were shown last.
    private var failedPages: Set<Int> = []
    private static let width = 1000.0
    /// The shortest display time of a picture, in seconds.
    private static let minimumPictureTime = 0.1
    /// The display time of a page whose clip cannot be played, in seconds. Without it, a carousel of such pages would
    /// never rest.
    private static let failedPageTime = 0.5

    private var isShown: Bool { isOnScreen && !isInBackground }

    /// Creates a carousel that shows the first page.
    ///
    /// - Parameter pages: The kind of each page, in order.
    public init(_ pages: [FeedKind]) { self.pages = pages }

    /// The index of the page that is most visible, for a page indicator. It is 0 if there are no pages.
    public var index: Int { page(at: position.rounded()) }

    /// Returns the index of the page at a position.
    ///
    /// - Parameter position: A position in pages.
    /// - Returns: The index of the page, or 0 if there are no pages or the position is not finite.
    public func page(at position: Double) -> Int {
        guard !pages.isEmpty, position.isFinite else { return 0 }
        let remainder = position.truncatingRemainder(dividingBy: Double(pages.count))
        return (Int(remainder) + pages.count) % pages.count
    }

    /// The visible part of the carousel, as a viewport for a feed.
    public var viewport: FeedViewport {
        FeedViewport(CGRect(x: position * Self.width, y: 0, width: Self.width, height: 1))
    }

    /// The cells of all pages, each where it is nearest to the view.
    public var cells: [FeedCell<Int>] {
        let count = Double(pages.count)
        return pages.enumerated().map { page, kind in
            let pagePosition = Double(page) + count * ((position - Double(page)) / count).rounded()
            return FeedCell(
                page,
                frame: CGRect(x: pagePosition * Self.width, y: 0, width: Self.width, height: 1),
                kind: kind
            )
        }
    }

    /// The time at which the carousel advances by itself, or nil if no advance is pending.
    ///
    /// For a picture this is the end of its display time, for a page whose clip has failed, half a second after it came
    /// into view. If the clip of the current page has ended, it is a time that has already passed.
    public var nextTurn: HostTime? {
        guard let visibleSince, pages.count > 1 else { return nil }
        if clipHasEnded { return visibleSince }
        let seconds: Double
        switch pages[index] {
        // A display time that is not a number counts as the shortest one.
        case .picture(let time):
            seconds = time > Self.minimumPictureTime ? min(time, 1e6) : Self.minimumPictureTime
        case .clip where failedPages.contains(index): seconds = Self.failedPageTime
        case .clip, .other: return nil
        }
        return visibleSince.advanced(by: Int64(clamping: seconds * 1e9))
    }

    /// Replaces the pages. The page that is shown stays in view if it still exists; otherwise the last one is shown. The
    /// user continues to drag.
    ///
    /// - Parameters:
    ///   - pages: The kind of each page, in order.
    ///   - now: The current time.
    public mutating func setPages(_ pages: [FeedKind], at now: HostTime) {
        let shown = pages.isEmpty ? 0 : min(index, pages.count - 1)
        let isSame =
            [pages, self.pages].allSatisfy { $0.indices.contains(shown) } && pages[shown] == self.pages[index]
            && shown == index
        self.pages = pages
        failedPages.formIntersection(isSame ? [shown] : [])
        position = Double(shown)
        if !isSame {
            clipHasEnded = false
            visibleSince = nil
        }
        updateVisibility(now)
    }

    /// Moves the carousel to a position.
    ///
    /// Positions that are not finite are ignored.
    ///
    /// - Parameters:
    ///   - position: The new position, in pages. Pass a whole number when the carousel comes to rest.
    ///   - isDragging: Whether the user is dragging the carousel. A carousel that is dragged does not advance by
    ///     itself.
    ///   - now: The current time.
    public mutating func move(to position: Double, isDragging: Bool, at now: HostTime) {
        guard position.isFinite else { return }
        let before = index
        defer {
            if index != before {
                clipHasEnded = false
                // The clip is tried again when its page returns.
                failedPages.remove(before)
            }
        }
        // Beyond 1e9 a Double resolves positions within a page poorly, so the position is reduced to the page's index.
        let bounded = abs(position) < 1e9 ? position : Double(page(at: position.rounded()))
        self.position = bounded
        self.isDragging = isDragging
        if isDragging {
            visibleSince = nil
        } else if visibleSince == nil || index != before {
            visibleSince = isShown ? now : nil
        }
    }

    /// Moves to the occurrence of a page that is nearest to the view.
    ///
    /// The position does not change if the page is already shown, so its clip continues to play.
    ///
    /// - Parameters:
    ///   - page: The index of the page.
    ///   - now: The current time.
    public mutating func jump(to page: Int, at now: HostTime) {
        guard !pages.isEmpty else { return }
        let count = Double(pages.count)
        let wanted = Double(self.page(at: Double(page)))
        move(
            to: wanted + count * ((position.rounded() - wanted) / count).rounded(),
            isDragging: false,
            at: now
        )
    }

    /// Sets whether the carousel is on screen. The display time of a picture does not run while it is off screen.
    ///
    /// - Parameters:
    ///   - isOnScreen: False while another screen covers the carousel.
    ///   - now: The current time.
    public mutating func setOnScreen(_ isOnScreen: Bool, at now: HostTime) {
        self.isOnScreen = isOnScreen
        updateVisibility(now)
    }

    /// Sets whether the application is in the background, which has the effect of being off screen.
    ///
    /// - Parameters:
    ///   - isInBackground: True while the application is in the background.
    ///   - now: The current time.
    public mutating func setInBackground(_ isInBackground: Bool, at now: HostTime) {
        self.isInBackground = isInBackground
        updateVisibility(now)
    }

    private mutating func updateVisibility(_ now: HostTime) {
        visibleSince = isShown && !isDragging ? visibleSince ?? now : nil
    }

    /// Returns the position to advance to if the time given by `nextTurn` has been reached.
    ///
    /// - Parameter now: The current time.
    /// - Returns: The next position, or nil if the carousel does not advance yet.
    public func turn(at now: HostTime) -> Double? {
        guard let nextTurn, now >= nextTurn else { return nil }
        return position.rounded() + 1
    }

    /// Records that the clip of a page has played to its end, and returns the position to advance to.
    ///
    /// If the carousel is being dragged or is off screen, it advances when that ends; see `nextTurn`.
    ///
    /// - Parameter page: The index of the page whose clip has ended.
    /// - Returns: The next position, or nil if the page is not the current one, is the only one, or the advance is
    ///   deferred.
    public mutating func turn(afterEndOf page: Int) -> Double? {
        guard page == index, pages.count > 1 else { return nil }
        clipHasEnded = isDragging || !isShown
        return clipHasEnded ? nil : position.rounded() + 1
    }

    /// Records that the clip of a page cannot be played. The carousel moves on as if the clip had ended, but shows the
    /// page for at least half a second; see `nextTurn`.
    ///
    /// - Parameter page: The index of the page whose clip has failed.
    public mutating func fail(_ page: Int) {
        if pages.indices.contains(page) { failedPages.insert(page) }
    }

    /// Returns whether the clip of a page has failed since the page was shown last.
    ///
    /// - Parameter page: The index of the page.
    /// - Returns: Whether the clip has failed.
    public func hasFailed(_ page: Int) -> Bool { failedPages.contains(page) }

    /// Records that the clip of a page plays, or is tried again.
    ///
    /// - Parameter page: The index of the page.
    public mutating func retry(_ page: Int) {
        failedPages.remove(page)
        if page == index { clipHasEnded = false }
    }
}
