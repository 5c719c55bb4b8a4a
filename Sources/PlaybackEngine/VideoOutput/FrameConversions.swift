import DequeModule
import MediaCore
package import PlayheadBackend

/// Makes the frames that sinks want in another shape or pixel format: for equal wants of all layers of a player once.
package final class FrameConversions: Sendable {
    /// A maker lives as long as a sink goes by it.
    private struct Weak {
        weak var converter: SharedConverter?
    }

    private let driver: any Driver
    private let makeConverter: @Sendable () -> any VideoConverter
    private let converters = Locked<[FrameConversionSpec: Weak]>([:])
    private let convertedCount = Locked(0)
    /// Answers questions, and converts nothing.
    private let formatQueryConverter = Locked<(any VideoConverter)?>(nil)

    package init(driver: any Driver, makeConverter: @escaping @Sendable () -> any VideoConverter) {
        self.driver = driver
        self.makeConverter = makeConverter
    }

    /// Frames that were made up to now.
    package var count: Int { convertedCount.withLock { $0 } }

    func nearestFormat(to pixelFormat: PixelFormat, geometry: VideoGeometry) -> PixelFormat {
        formatQueryConverter.withLock { converter in
            let known = converter ?? makeConverter()
            converter = known
            return known.nearestFormat(to: pixelFormat, geometry: geometry)
        }
    }

    /// To be held by who wants such frames.
    func converter(for spec: FrameConversionSpec) -> SharedConverter {
        converters.withLock { converters in
            if let converter = converters[spec]?.converter { return converter }
            converters = converters.filter { $0.value.converter != nil }
            let converter = SharedConverter(
                spec,
                driver: driver,
                makeConverter: makeConverter,
                count: { [convertedCount] in convertedCount.withLock { $0 += 1 } }
            )
            converters[spec] = Weak(converter: converter)
            return converter
        }
    }
}

/// Makes frames for one kind of wants, on a lane of its own or beside it.
///
/// Unchecked: `converter` is used by what the lane computes, one at a time; everything else is locked or never changes.
final class SharedConverter: @unchecked Sendable {
    typealias Completion = @Sendable (Result<VideoFrame, MediaError>) -> Void

    private struct Job {
        let source: VideoFrame
        var completions: [Completion]
        var result: Result<VideoFrame, MediaError>?
    }
    private struct State {
        /// Asked for and not made yet; the first one may be under way.
        var jobs: Deque<Job> = []
        /// The one that was made last, and of what: another sink may ask for it.
        var newest: (source: VideoFrame, made: VideoFrame)?
    }

    private let spec: FrameConversionSpec
    private let driver: any Driver
    private let lane: any Lane
    private let makeConverter: @Sendable () -> any VideoConverter
    private let count: @Sendable () -> Void
    private let state = Locked(State())
    private var converter: (any VideoConverter)?

    init(
        _ spec: FrameConversionSpec,
        driver: any Driver,
        makeConverter: @escaping @Sendable () -> any VideoConverter,
        count: @escaping @Sendable () -> Void
    ) {
        self.spec = spec
        self.driver = driver
        lane = driver.makeLane(.output, label: "conversion")
        self.makeConverter = makeConverter
        self.count = count
    }

    /// `taker` is called with the frame, on the maker's lane, or at once where it is there already. Any thread.
    func convert(_ frame: VideoFrame, _ completion: @escaping Completion) {
        let complete: Completion = { result in completion(result.map { Self.result(of: frame, as: $0) }) }
        let (known, isNew) = state.withLock { state -> (VideoFrame?, Bool) in
            if let newest = state.newest, Self.haveEqualContent(newest.source, frame) {
                return (newest.made, false)
            }
            if let index = state.jobs.firstIndex(where: { Self.haveEqualContent($0.source, frame) }) {
                state.jobs[index].completions.append(complete)
                return (nil, false)
            }
            state.jobs.append(Job(source: frame, completions: [complete]))
            return (nil, true)
        }
        if let known { complete(.success(known)) }
        if isNew { driver.compute({ [self] in work() }, on: lane, then: { [self] in deliverResult() }) }
    }

    /// Nothing that was made is asked for any more.
    func removeCached() {
        let old = state.withLock { state in
            defer { state.newest = nil }
            return state.newest
        }
        _ = old
    }

    private func work() {
        guard let source = state.withLock({ $0.jobs.first { $0.result == nil }?.source }) else { return }
        let converter = converter ?? makeConverter()
        self.converter = converter
        let result: Result<VideoFrame, MediaError>
        do throws(MediaError) {
            result = .success(try convert(source, with: converter))
            count()
        } catch {
            result = .failure(error)
        }
        state.withLock { state in
            guard let index = state.jobs.firstIndex(where: { $0.result == nil }) else { return }
            state.jobs[index].result = result
        }
    }

    private func deliverResult() {
        let (job, old) = state.withLock { state in
            let (job, old) = (state.jobs.popFirst(), state.newest)
            if let job, case .success(let made) = job.result { state.newest = (job.source, made) }
            return (job, old)
        }
        // Memory is given back outside the lock.
        _ = old
        guard let job, let result = job.result else { return }
        for completion in job.completions { completion(result) }
    }

    private func convert(
        _ frame: VideoFrame,
        with converter: any VideoConverter
    ) throws(MediaError) -> VideoFrame {
        if spec.toSDR {
            return try converter.convertToSDR(
                frame,
                to: spec.pixelFormat,
                geometry: spec.geometry,
                background: spec.background
            )
        }
        guard let geometry = spec.geometry else {
            return try converter.convert(frame, to: spec.pixelFormat, size: frame.size)
        }
        return try converter.convert(
            frame,
            to: spec.pixelFormat,
            geometry: geometry,
            background: spec.background
        )
    }

    /// The same samples, meant the same way; when they are due is another matter.
    private static func haveEqualContent(_ one: VideoFrame, _ other: VideoFrame) -> Bool {
        one.storage === other.storage && one.format == other.format
    }

    private static func result(of frame: VideoFrame, as made: VideoFrame) -> VideoFrame {
        var result = frame
        (result.format, result.storage) = (made.format, made.storage)
        return result
    }
}
