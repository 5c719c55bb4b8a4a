import Dispatch
import Foundation
import Playhead
import PlayheadFeed
import Synchronization

/// Measures in real time how long a swipe in a feed takes until the next clip is shown.
///
///     swift run -c release --package-path Benchmarks FeedFigures [--swipes 200] CLIP...
///
/// It compares three ways, muted and with one clip per page: a swipe to a preloaded clip, a jump to a clip that is not
/// preloaded, and a new player for the clip, as without a feed. It prints one line for each: median, 99th percentile and
/// worst, in milliseconds from the call to the first frame in the sink. For swipes it also prints the time from the
/// start of the clip's turn to its next frame.
@main
struct FeedFigures {
    var swipes = 200
    var clips: [URL] = []

    static func main() throws { try FeedFigures(CommandLine.arguments.dropFirst()).run() }

    init(_ arguments: some Sequence<String>) throws {
        var rest = Array(arguments)[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--swipes":
                guard let count = rest.popFirst().flatMap({ Int($0) }), count > 0 else {
                    throw UsageError("--swipes wants a number above zero")
                }
                swipes = count
            default: clips.append(URL(fileURLWithPath: argument))
            }
        }
        guard !clips.isEmpty else { throw UsageError("which clips?") }
        // Without a readable clip each wait for a frame would time out.
        for clip in clips where !FileManager.default.isReadableFile(atPath: clip.path) {
            throw UsageError("\(clip.path) cannot be read")
        }
    }

    private func run() {
        print(Self.line("swiped to, made ready", measure { $0.swipe(to: $1) }))
        print(Self.line("its next picture", measure { $0.swipeAndMove(to: $1) }))
        print(Self.line("jumped to, not made ready", measure(each: 10) { $0.jump(to: $1) }))
        print(Self.line("a player made anew", (0..<swipes).compactMap { open(clips[$0 % clips.count]) }))
    }

    /// Repeats a measurement. `step` is the number of pages from one measurement to the next.
    private func measure(each step: Int = 1, _ body: (Pages, Int) -> Double?) -> [Double] {
        let pages = Pages(clips, count: swipes * step + 4)
        return (1...swipes).compactMap { body(pages, $0 * step) }
    }

    private func open(_ clip: URL) -> Double? {
        let sink = FirstPicture()
        let start = Moment.now
        let player = Player(playerItem: PlayerItem(url: clip))
        player.isMuted = true
        let layer = PlayerLayer(player: player)
        layer.add(sink)
        player.play()
        let time = sink.wait(1)
        // Play for a while, as the feed's player does.
        Thread.sleep(forTimeInterval: 0.1)
        withExtendedLifetime(layer) {}
        return time.map { ($0 - start) * 1000 }
    }

    private static func line(_ name: String, _ times: [Double]) -> String {
        let sorted = times.sorted()
        func part(_ share: Double) -> String {
            guard !sorted.isEmpty else { return "-" }
            return String(format: "%.2f", sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))])
        }
        return
            "\(name): \(sorted.count) times; median \(part(0.5)) ms, 99 % \(part(0.99)) ms, worst \(part(1)) ms"
    }
}

/// A feed with one clip per page.
private final class Pages {
    private let feed: FeedPlayer<Int>
    private let posters = PosterCache(limit: 0)
    private var layers: [Int: FeedLayer] = [:]

    init(_ clips: [URL], count: Int) {
        var settings = FeedSettings()
        settings.settlingTime = .zero
        feed = FeedPlayer(settings: settings, posters: posters) { Asset(url: clips[$0 % clips.count]) }
        feed.setCells((0..<count).map { FeedCell($0, frame: Self.frame($0)) })
        _ = jump(to: 0)
        awaitReady(behind: 0)
    }

    private static func frame(_ page: Int) -> CGRect {
        CGRect(x: 0, y: Double(page) * 640, width: 360, height: 640)
    }

    /// Sets a layer without posters for `page`, so that its first frame belongs to the clip. Removes the previous layer.
    private func show(_ page: Int) -> FirstPicture {
        for (old, _) in layers { feed.setLayer(nil, for: old) }
        let (layer, sink) = (FeedLayer(), FirstPicture())
        layers = [page: layer]
        feed.setLayer(layer, for: page)
        layer.add(sink)
        return sink
    }

    /// Waits until the two following pages have players, and then briefly for their first frames.
    private func awaitReady(behind page: Int) {
        let limit = Moment.now + 5
        while Moment.now < limit, feed.player(for: page + 1) == nil || feed.player(for: page + 2) == nil {
            Thread.sleep(forTimeInterval: 0.002)
        }
        Thread.sleep(forTimeInterval: 0.02)
    }

    func swipe(to page: Int) -> Double? { swipe(to: page, pictures: 1) }

    /// Returns the time from the start of the page's turn to its second frame.
    func swipeAndMove(to page: Int) -> Double? { swipe(to: page, pictures: 2) }

    private func swipe(to page: Int, pictures: Int) -> Double? {
        let viewport = FeedViewport(Self.frame(page))
        let start = Moment.now
        feed.scroll(to: viewport, velocity: 3000, .dragging)
        let sink = show(page)
        guard let first = sink.wait(1) else { return nil }
        let turn = Moment.now
        feed.scroll(to: viewport, velocity: 0, .settled)
        guard let second = sink.wait(2) else { return nil }
        awaitReady(behind: page)
        return (pictures == 1 ? first - start : second - turn) * 1000
    }

    func jump(to page: Int) -> Double? {
        let start = Moment.now
        feed.setViewport(FeedViewport(Self.frame(page)))
        let sink = show(page)
        let time = sink.wait(1)
        Thread.sleep(forTimeInterval: 0.1)
        return time.map { ($0 - start) * 1000 }
    }
}

/// Records when frames arrive.
private final class FirstPicture: VideoSink {
    private let times = Mutex<[Double]>([])

    func start(_ format: VideoFormat) {}
    func present(_ frame: VideoFrame) { times.withLock { $0.append(Moment.now) } }
    func finish() {}

    /// Returns the time of frame number `count` in seconds, or nil if it does not arrive within two seconds.
    func wait(_ count: Int) -> Double? {
        let limit = Moment.now + 2
        while Moment.now < limit {
            if let time = times.withLock({ $0.count >= count ? $0[count - 1] : nil }) { return time }
            Thread.sleep(forTimeInterval: 0.0005)
        }
        return nil
    }
}

private enum Moment {
    /// The machine's clock in seconds.
    static var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }
}

private struct UsageError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
