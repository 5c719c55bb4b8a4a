import DequeModule
package import MediaCore

/// Makes the frames that sinks want in another shape or pixel format: for equal wants of all layers of a player once.
package final class FrameConversions: Sendable {
    /// A maker lives as long as a sink goes by it.
    private struct Weak {
        weak var maker: FrameMaker?
    }

    private let driver: any Driver
    private let makeConverter: @Sendable () -> any VideoConverter
    private let makers = Locked<[FrameWants: Weak]>([:])
    private let made = Locked(0)
    /// Answers questions, and converts nothing.
    private let asked = Locked<(any VideoConverter)?>(nil)

    package init(driver: any Driver, makeConverter: @escaping @Sendable () -> any VideoConverter) {
        self.driver = driver
        self.makeConverter = makeConverter
    }

    /// Frames that were made up to now.
    package var count: Int { made.withLock { $0 } }

    func nearestFormat(to pixelFormat: PixelFormat, geometry: VideoGeometry) -> PixelFormat {
        asked.withLock { converter in
            let known = converter ?? makeConverter()
            converter = known
            return known.nearestFormat(to: pixelFormat, geometry: geometry)
        }
    }

    /// To be held by who wants such frames.
    func maker(_ wants: FrameWants) -> FrameMaker {
        makers.withLock { makers in
            if let maker = makers[wants]?.maker { return maker }
            makers = makers.filter { $0.value.maker != nil }
            let maker = FrameMaker(
                wants,
                lane: driver.makeLane(.presenting, label: "conversion"),
                makeConverter: makeConverter,
                count: { [made] in made.withLock { $0 += 1 } }
            )
            makers[wants] = Weak(maker: maker)
            return maker
        }
    }
}

/// Makes frames for one kind of wants, on a lane of its own.
///
/// Unchecked: `converter` is confined to the lane; everything else is locked or never changes.
final class FrameMaker: @unchecked Sendable {
    typealias Taker = @Sendable (Result<VideoFrame, MediaError>) -> Void

    private struct Job {
        let source: VideoFrame
        var takers: [Taker]
    }
    private struct State {
        /// Asked for and not made yet; the first one may be under way.
        var jobs: Deque<Job> = []
        /// The one that was made last, and of what: another sink may ask for it.
        var newest: (source: VideoFrame, made: VideoFrame)?
    }

    private let wants: FrameWants
    private let lane: any Lane
    private let makeConverter: @Sendable () -> any VideoConverter
    private let count: @Sendable () -> Void
    private let state = Locked(State())
    private var converter: (any VideoConverter)?

    init(
        _ wants: FrameWants,
        lane: any Lane,
        makeConverter: @escaping @Sendable () -> any VideoConverter,
        count: @escaping @Sendable () -> Void
    ) {
        self.wants = wants
        self.lane = lane
        self.makeConverter = makeConverter
        self.count = count
    }

    /// `taker` is called with the frame, on the maker's lane, or at once where it is there already. Any thread.
    func make(of frame: VideoFrame, _ taker: @escaping Taker) {
        let take: Taker = { result in taker(result.map { Self.result(of: frame, as: $0) }) }
        let (known, isNew) = state.withLock { state -> (VideoFrame?, Bool) in
            if let newest = state.newest, Self.areEqual(newest.source, frame) { return (newest.made, false) }
            if let index = state.jobs.firstIndex(where: { Self.areEqual($0.source, frame) }) {
                state.jobs[index].takers.append(take)
                return (nil, false)
            }
            state.jobs.append(Job(source: frame, takers: [take]))
            return (nil, true)
        }
        if let known { take(.success(known)) }
        if isNew { lane.enqueue { [self] in work() } }
    }

    /// Nothing that was made is asked for any more.
    func forget() {
        let old = state.withLock { state in
            defer { state.newest = nil }
            return state.newest
        }
        _ = old
    }

    private func work() {
        guard let source = state.withLock({ $0.jobs.first?.source }) else { return }
        let converter = converter ?? makeConverter()
        self.converter = converter
        let (result, made) = outcome(of: source, converter)
        let (takers, old) = state.withLock { state in
            let old = state.newest
            state.newest = made.map { (source, $0) }
            return (state.jobs.removeFirst().takers, old)
        }
        // Memory is given back outside the lock.
        _ = old
        for taker in takers { taker(result) }
    }

    private func outcome(
        of source: VideoFrame,
        _ converter: any VideoConverter
    ) -> (Result<VideoFrame, MediaError>, made: VideoFrame?) {
        do throws(MediaError) {
            let made = try convert(source, with: converter)
            count()
            return (.success(made), made)
        } catch {
            return (.failure(error), nil)
        }
    }

    private func convert(
        _ frame: VideoFrame,
        with converter: any VideoConverter
    ) throws(MediaError) -> VideoFrame {
        guard let geometry = wants.geometry else {
            return try converter.convert(frame, to: wants.pixelFormat, size: frame.size)
        }
        return try converter.convert(
            frame,
            to: wants.pixelFormat,
            geometry: geometry,
            background: wants.background
        )
    }

    /// The same samples, meant the same way; when they are due is another matter.
    private static func areEqual(_ one: VideoFrame, _ other: VideoFrame) -> Bool {
        one.storage === other.storage && one.format == other.format
    }

    private static func result(of frame: VideoFrame, as made: VideoFrame) -> VideoFrame {
        var result = frame
        (result.format, result.storage) = (made.format, made.storage)
        return result
    }
}
