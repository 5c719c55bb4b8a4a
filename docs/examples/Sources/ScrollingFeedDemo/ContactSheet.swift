import Foundation
import Playhead
import PlayheadFeed
import Synchronization

/// A cell's layer and the last frame that it received.
final class ShownPicture: Sendable {
    let layer: FeedLayer
    private let last = Mutex<VideoFrame?>(nil)

    init(size: PixelSize) {
        layer = FeedLayer(size: size)
        layer.add(
            CallbackVideoSink(pixelFormats: [.rgb24]) { [weak self] frame in
                self?.last.withLock { $0 = frame }
            }
        )
    }

    var frame: VideoFrame? { last.withLock { $0 } }
}

/// Writes a PNG for each step: the visible area, with a border around each cell. A green border means playing, yellow selected
/// but paused, blue ready, and grey none of these. The bar on the left of a cell is white for a poster and black for video;
/// an empty cell has no bar.
struct ContactSheet {
    let folder: String
    let width: Int
    let height: Int
    private var count = 0
    private let encoder = ImageEncoder(.png)

    init(folder: String, width: Int, height: Int) {
        (self.folder, self.width, self.height) = (folder, width, height)
    }

    mutating func draw(
        _ viewport: FeedViewport,
        _ cells: [FeedCell<Int>],
        _ plan: FeedPlan<Int>,
        _ shown: [Int: ShownPicture]
    ) throws {
        var canvas = Canvas(width: width, height: height)
        for cell in cells where viewport.share(of: cell.frame) > 0 {
            let (x, y) = (Int(cell.frame.minX), Int(cell.frame.minY - viewport.bounds.minY))
            let (w, h) = (Int(cell.frame.width), Int(cell.frame.height))
            let entry = plan.entry(of: cell.id)
            let color: Canvas.Pixel =
                entry?.shouldPlay == true
                ? (0, 220, 0)
                : plan.chosen.contains(cell.id)
                    ? (230, 220, 0)
                    : entry?.role == .ready ? (60, 120, 255) : (90, 90, 90)
            canvas.fill(x - 6, y - 3, w + 12, h + 6, color)
            canvas.fill(x, y, w, h, (20, 20, 20))
            if let frame = shown[cell.id]?.frame { canvas.draw(frame, x, y) }
            switch shown[cell.id]?.layer.content {
            case .poster: canvas.fill(x, y, 8, h, (255, 255, 255))
            case .video: canvas.fill(x, y, 8, h, (0, 0, 0))
            default: break
            }
        }
        count += 1
        let path = String(format: "%@/step-%02d.png", folder, count)
        try Data(encoder.encode(canvas.frame)).write(to: URL(fileURLWithPath: path))
    }
}
