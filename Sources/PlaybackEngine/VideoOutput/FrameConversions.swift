import DequeModule
import MediaCore
package import PlayheadBackend

/// Converts frames to the shapes and pixel formats that sinks request. Equal requests of all layers of a player
/// share one conversion.
package final class FrameConversions: Sendable {
    private let driver: any Driver
    private let makeConverter: @Sendable () -> any VideoConverter
    /// Creates a renderer of subtitles, which each sink has for itself.
    let makeSubtitleRenderer: @Sendable () -> (any SubtitleRenderer)?
    private let hasUndrawnSubtitles = Locked(false)
    /// The converters in use. Each is released when the last sink that uses it is gone.
    private let converters = Locked<[FrameConversionSpec: WeakReference<SharedConverter>]>([:])
    private let convertedCount = Locked(0)
    /// A converter that only answers `nearestFormat(to:geometry:)`.
    private let formatQueryConverter = Locked<(any VideoConverter)?>(nil)

    package init(
        driver: any Driver,
        makeConverter: @escaping @Sendable () -> any VideoConverter,
        makeSubtitleRenderer: @escaping @Sendable () -> (any SubtitleRenderer)? = { nil }
    ) {
        self.driver = driver
        self.makeConverter = makeConverter
        self.makeSubtitleRenderer = makeSubtitleRenderer
    }

    /// Records that subtitles could not be drawn. Returns true the first time.
    func noteUndrawnSubtitles() -> Bool {
        hasUndrawnSubtitles.withLock { has in
            defer { has = true }
            return !has
        }
    }

    /// The number of frames converted so far.
    package var count: Int { convertedCount.withLock { $0 } }

    func nearestFormat(to pixelFormat: PixelFormat, geometry: VideoGeometry) -> PixelFormat {
        formatQueryConverter.withLock { converter in
            let known = converter ?? makeConverter()
            converter = known
            return known.nearestFormat(to: pixelFormat, geometry: geometry)
        }
    }

    /// Returns the shared converter for a specification. The caller keeps it as long as it needs such frames.
    func converter(for spec: FrameConversionSpec) -> SharedConverter {
        converters.withLock { converters in
            if let converter = converters[spec]?.object { return converter }
            converters = converters.filter { $0.value.object != nil }
            let converter = SharedConverter(
                spec,
                driver: driver,
                makeConverter: makeConverter,
                count: { [convertedCount] in convertedCount.withLock { $0 += 1 } }
            )
            converters[spec] = WeakReference(converter)
            return converter
        }
    }
}

/// Converts frames for one specification, on its own lane or beside it.
///
/// `@unchecked Sendable`: `converter` is used by the computations of the lane, which run one at a time. All
/// other members are locked or immutable.
final class SharedConverter: @unchecked Sendable {
    typealias Completion = @Sendable (Result<VideoFrame, MediaError>) -> Void

    private struct Job {
        let source: VideoFrame
        var completions: [Completion]
        var result: Result<VideoFrame, MediaError>?
    }
    private struct State {
        /// The requested conversions that are not complete. The first one may be running.
        var jobs: Deque<Job> = []
        /// The last conversion and its source, for another sink that requests the same.
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

    /// Converts a frame. Any thread.
    ///
    /// - Parameters:
    ///   - frame: The frame to convert.
    ///   - completion: Receives the result on the converter's lane, or immediately if it is already available.
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

    /// Releases the last result, which will not be requested again.
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
        // Memory is released outside the lock.
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

    /// Returns whether two frames have the same samples and the same format. Their times may differ.
    private static func haveEqualContent(_ one: VideoFrame, _ other: VideoFrame) -> Bool {
        one.storage === other.storage && one.format == other.format
    }

    private static func result(of frame: VideoFrame, as made: VideoFrame) -> VideoFrame {
        var result = frame
        (result.format, result.storage) = (made.format, made.storage)
        return result
    }
}
