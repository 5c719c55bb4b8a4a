public import Foundation
public import MediaCore
import PlaybackEngine
public import Playhead
public import PlayheadBackend

/// Plays scripts instead of files. A URL that was given one, or that `add` made, opens its own script; every other one
/// opens `media`, or cannot be found where the backend was made with scripts alone.
///
///     let backend = ScriptedBackend(scripts: [one: .clip(), two: .silentClip()], driver: driver)
///     let player = Player(configuration: Player.Configuration(driver: driver, backend: backend))
///     player.replaceCurrentItem(with: PlayerItem(url: two))
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

        fileprivate mutating func count(_ call: ScriptedCall) {
            switch call {
            case .read: reads += 1
            case .seek: seeks += 1
            case .decode: decoded += 1
            case .cancel: cancelled += 1
            }
        }
    }

    private struct State {
        var scripts: [String: ScriptedMedia] = [:]
        /// URLs that were made.
        var added = 0
        var opened: [String] = []
        var counts = Counts()
        /// By location.
        var countsOf: [String: Counts] = [:]
        var optionsOf: [String: [DecoderOptions]] = [:]
    }

    /// What is opened where nothing else is said; nil: nothing.
    private let media: ScriptedMedia?
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

    /// A script for each URL, and for no other: those are not found.
    public init(
        scripts: [URL: ScriptedMedia],
        driver: any Driver,
        called: @escaping @Sendable (ScriptedCall) -> Void = { _ in }
    ) {
        media = nil
        clock = driver.clock
        self.driver = driver
        makeStretcher = { nil }
        self.called = called
        for (url, script) in scripts { self[url] = script }
    }

    /// What a URL opens from now on; what is open already stays. nil: nothing of its own.
    public subscript(url: URL) -> ScriptedMedia? {
        get { state.withLock { $0.scripts[Self.location(of: url)] } }
        set { state.withLock { $0.scripts[Self.location(of: url)] = newValue } }
    }

    /// A new URL that opens `media`; nil: what the backend was made with.
    public func add(_ media: ScriptedMedia? = nil) -> URL {
        state.withLock { state in
            state.added += 1
            let path = "/script-\(state.added)"
            state.scripts[path] = media ?? self.media
            return URL(fileURLWithPath: path)
        }
    }

    /// An asset of a URL that was given a script.
    public func makeAsset(at url: URL) -> Asset { Asset(url: url, backend: self) }

    /// As a player asks for it: the path of a file, and everything else as it is.
    private static func location(of url: URL) -> String {
        if url.isFileURL { return url.path }
        return url.scheme == nil ? url.relativePath : url.absoluteString
    }

    /// How often demuxers were made for a URL.
    public func openCount(of url: URL) -> Int {
        let location = Self.location(of: url)
        return state.withLock { $0.opened.count { $0 == location } }
    }

    /// What was done with the script of a URL.
    public func counts(of url: URL) -> Counts {
        state.withLock { $0.countsOf[Self.location(of: url)] ?? Counts() }
    }

    /// With what each decoder of frames was made of the script of a URL, in order.
    public func decoderOptions(of url: URL) -> [DecoderOptions] {
        state.withLock { $0.optionsOf[Self.location(of: url)] ?? [] }
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
        let location = request.location
        let script = state.withLock { state in
            state.opened.append(location)
            return state.scripts[location] ?? media ?? ScriptedMedia(faults: [.openFails(.notFound)])
        }
        let called: @Sendable (ScriptedCall) -> Void = { [weak self] in self?.count($0, of: location) }
        let madeDecoder: @Sendable (Int, DecoderOptions) -> Void = { [weak self] track, options in
            guard track == ScriptedMedia.videoTrack else { return }
            self?.state.withLock { $0.optionsOf[location, default: []].append(options) }
        }
        if let driver {
            return ScriptedDemuxer(script, driver: driver, called: called, madeDecoder: madeDecoder)
        }
        return ScriptedDemuxer(script, clock: clock, called: called, madeDecoder: madeDecoder)
    }

    private func count(_ call: ScriptedCall, of location: String) {
        state.withLock { state in
            state.counts.count(call)
            state.countsOf[location, default: Counts()].count(call)
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
