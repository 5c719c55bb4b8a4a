public import Foundation
public import MediaCore
public import PlaybackEngine
public import Playhead

/// Plays scripts instead of files. A URL of `add` opens its own script, every other location opens `media`.
///
/// It counts what is done with the scripts, so that a test can say what costs nothing.
public final class ScriptedBackend: MediaBackend {
    /// How often demuxers and decoders of the scripts were asked to do something.
    public struct Counts: Hashable, Sendable {
        /// Packets that demuxers were asked for.
        public var reads = 0
        /// Seeks in a container, which is not each seek of a player: what is kept needs none.
        public var seeks = 0
        /// Packets that decoders took.
        public var decoded = 0
        /// Demuxers that were cancelled, however often.
        public var cancelled = 0
    }

    private struct State {
        var scripts: [String: ScriptedMedia] = [:]
        var opened: [String] = []
        var counts = Counts()
    }

    private let media: ScriptedMedia
    private let clock: any HostClock
    /// Tells when data that a script holds back is there; nil: demuxers must be asked again.
    private let driver: (any Driver)?
    private let makeStretcher: @Sendable () -> (any AudioTimeStretcher)?
    private let called: @Sendable (ScriptedCall) -> Void
    private let state = Locked(State())

    /// `clock`: the driver's, which ends scripted stalls. `makeStretcher`: plays audio at other rates than 1;
    /// without one it is handed on as it is. `called`: told of each call, on the lane that makes it.
    public init(
        _ media: ScriptedMedia = ScriptedMedia(),
        clock: any HostClock,
        makeStretcher: @escaping @Sendable () -> (any AudioTimeStretcher)? = { nil },
        called: @escaping @Sendable (ScriptedCall) -> Void = { _ in }
    ) {
        self.media = media
        self.clock = clock
        driver = nil
        self.makeStretcher = makeStretcher
        self.called = called
    }

    /// The same, but demuxers say when data that a script holds back is there: nobody need ask again.
    public init(
        _ media: ScriptedMedia = ScriptedMedia(),
        driver: any Driver,
        called: @escaping @Sendable (ScriptedCall) -> Void = { _ in }
    ) {
        self.media = media
        clock = driver.clock
        self.driver = driver
        makeStretcher = { nil }
        self.called = called
    }

    /// A URL that opens `media`; nil: what the backend was made with.
    public func add(_ media: ScriptedMedia? = nil) -> URL {
        state.withLock { state in
            let path = "/script-\(state.scripts.count + 1)"
            state.scripts[path] = media ?? self.media
            return URL(fileURLWithPath: path)
        }
    }

    /// An asset of its own URL that plays `media`; nil: what the backend was made with.
    public func makeAsset(_ media: ScriptedMedia? = nil) -> Asset { Asset(url: add(media), backend: self) }
    /// An item of such an asset.
    public func makeItem(_ media: ScriptedMedia? = nil) -> PlayerItem { PlayerItem(asset: makeAsset(media)) }

    /// Locations for which demuxers were made, in order.
    public var opened: [String] { state.withLock { $0.opened } }
    /// What was done up to now. Any thread.
    public var counts: Counts { state.withLock { $0.counts } }

    public func makeDemuxer(for request: OpenRequest) -> any Demuxer {
        let script = state.withLock { state in
            state.opened.append(request.location)
            return state.scripts[request.location] ?? media
        }
        let called: @Sendable (ScriptedCall) -> Void = { [weak self] in self?.count($0) }
        if let driver { return ScriptedDemuxer(script, driver: driver, called: called) }
        return ScriptedDemuxer(script, clock: clock, called: called)
    }

    private func count(_ call: ScriptedCall) {
        state.withLock { state in
            switch call {
            case .read: state.counts.reads += 1
            case .seek: state.counts.seeks += 1
            case .decode: state.counts.decoded += 1
            case .cancel: state.counts.cancelled += 1
            }
        }
        called(call)
    }

    public func makeVideoConverter() -> any VideoConverter { PassingConverter() }
    public func makeAudioConverter(to format: AudioFormat) -> any AudioConverter { PassingConverter() }
    public func makeAudioTimeStretcher() -> (any AudioTimeStretcher)? { makeStretcher() }
}

/// Scripts have one format; nothing needs converting.
private final class PassingConverter: VideoConverter, AudioConverter {
    func convert(
        _ frame: VideoFrame,
        to pixelFormat: PixelFormat,
        size: PixelSize
    ) throws(MediaError) -> VideoFrame { frame }

    /// No samples are scaled: a frame of the right size, which holds the same number.
    func convert(
        _ frame: VideoFrame,
        to pixelFormat: PixelFormat?,
        geometry: VideoGeometry,
        background: Color
    ) throws(MediaError) -> VideoFrame {
        let (area, overflow) = geometry.target.width.multipliedReportingOverflow(by: geometry.target.height)
        guard !geometry.source.size.isEmpty, !overflow, area <= Self.largestArea else {
            throw MediaError(.conversionFailed, "frames cannot be scaled to \(geometry.target)")
        }
        guard let picture = frame.storage as? ScriptedPicture else { return frame }
        var result = frame
        result.format = frame.format.laidOut(by: geometry)
        result.storage = ScriptedPicture(picture.index, size: geometry.target)
        return result
    }

    private static let largestArea = 1 << 28

    func convert(_ buffer: AudioBuffer) throws(MediaError) -> AudioBuffer? { buffer }
    func drain() throws(MediaError) -> AudioBuffer? { nil }
    func reset() {}
}
