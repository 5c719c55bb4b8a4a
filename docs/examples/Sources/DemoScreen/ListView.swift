import Foundation
import Playhead
public import PlayheadFeed

/// A list without a toolkit, which does what the view code of an application does: it gives each cell a layer while the cell
/// is visible, moves the cells, and reports all of that to the feed.
@MainActor public final class ListView {
    private struct Shown {
        let layer: FeedLayer
        let region: CompositeRegion
        /// A frame around the cell: green while the clip plays, yellow while it is chosen but paused, blue when it is preloaded.
        let border: CompositeRegion
    }

    private let screen: Screen
    private let feed: FeedPlayer<Int>
    private var cells: [FeedCell<Int>] = []
    private let size: PixelSize
    private var shown: [Int: Shown] = [:]
    /// The distance that the list has been scrolled, in pixels.
    public private(set) var offset = 0.0

    /// Creates a list that fills the screen.
    ///
    /// - Parameters:
    ///   - screen: The screen.
    ///   - feed: The feed, whose change handler the list sets.
    ///   - onChange: Receives the changes of the feed.
    public init(
        _ screen: Screen,
        _ feed: FeedPlayer<Int>,
        onChange: @escaping @MainActor ([FeedChange<Int>]) -> Void = { _ in }
    ) {
        (self.screen, self.feed, size) = (screen, feed, screen.composite.size)
        feed.setChangeHandler { [weak self] _, changes in
            Task { @MainActor in
                onChange(changes)
                self?.showStates()
            }
        }
    }

    private var viewport: FeedViewport {
        FeedViewport(CGRect(x: 0, y: offset, width: Double(size.width), height: Double(size.height)))
    }

    /// Shows cells, for the first time or others than before. What is visible keeps playing.
    public func setCells(_ cells: [FeedCell<Int>]) {
        self.cells = cells
        feed.setLayout(cells, viewport: viewport)
        layOut()
    }

    /// Scrolls to an offset, as far as the list goes.
    public func scroll(to offset: Double, _ phase: ScrollPhase) {
        let end = (cells.map(\.frame.maxY).max() ?? 0) + 10 - Double(size.height)
        self.offset = max(0, min(end, offset))
        feed.scroll(to: viewport, phase)
        layOut()
    }

    /// Scrolls as a finger does, and lets go.
    public func drag(to offset: Double, seconds: Double) async throws {
        let (start, steps) = (self.offset, max(1, Int(seconds * 60)))
        for step in 1...steps {
            scroll(to: start + (offset - start) * Double(step) / Double(steps), .dragging)
            try await Task.sleep(for: .seconds(seconds / Double(steps)))
        }
        scroll(to: offset, .settled)
    }

    /// The cell at a place of the screen.
    public func cell(x: Int, y: Int) -> Int? {
        cells.first { $0.frame.contains(CGPoint(x: Double(x), y: Double(y) + offset)) }?.id
    }

    private func layOut() {
        let viewport = viewport
        for cell in cells where viewport.share(of: cell.frame) > 0 {
            let rect = cell.frame.offsetBy(dx: 0, dy: -offset)
            let (x, y, w, h) = (Int(rect.minX), Int(rect.minY.rounded()), Int(rect.width), Int(rect.height))
            let view = shown[cell.id] ?? show(cell.id, PixelSize(width: w, height: h))
            view.region.frame = PixelRect(x: x, y: y, width: w, height: h)
            view.border.frame = PixelRect(x: x - 3, y: y - 3, width: w + 6, height: h + 6)
        }
        let visible = Set(cells.filter { viewport.share(of: $0.frame) > 0 }.map(\.id))
        for (id, view) in shown where !visible.contains(id) {
            feed.setLayer(nil, for: id)
            screen.composite.remove(view.border)
            shown[id] = nil  // The layer finishes its sink, and the region leaves the picture.
        }
        showStates()
    }

    private func show(_ id: Int, _ size: PixelSize) -> Shown {
        let border = screen.region(0, 0, 0, 0)
        let (layer, region) = screen.cell(0, 0, size.width, size.height)
        let view = Shown(layer: layer, region: region, border: border)
        shown[id] = view
        feed.setLayer(layer, for: id)
        return view
    }

    private func showStates() {
        let plan = feed.plan
        for (id, view) in shown {
            let entry = plan.entry(of: id)
            view.border.backgroundColor =
                entry?.shouldPlay == true
                ? Color(red: 0.1, green: 0.85, blue: 0.2)
                : plan.chosen.contains(id)
                    ? Color(red: 0.95, green: 0.8, blue: 0)
                    : entry?.role == .ready
                        ? Color(red: 0.25, green: 0.5, blue: 1) : Color(red: 0.4, green: 0.4, blue: 0.4)
        }
    }
}
