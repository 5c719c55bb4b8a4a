public import Foundation
public import MediaCore
import PlaybackEngine
public import Playhead
public import PlayheadBackend

/// A backend that plays scripts instead of files.
///
/// A URL that was given a script, or that `add(_:)` created, opens its own script. Any other URL opens the default
/// script. A backend that was created with `init(scripts:driver:onCall:)` has no default script and reports any other
/// URL as not found.
///
///     let backend = ScriptedBackend(scripts: [one: .clip(), two: .silentClip()], driver: driver)
///     let player = Player(configuration: Player.Configuration(driver: driver, backend: backend))
///     player.replaceCurrentItem(with: PlayerItem(url: two))
///
/// The backend counts how its scripts are used, so a test can verify that an operation needs no reads or seeks.
public final class ScriptedBackend: MediaBackend {
    /// The number of operations that were performed on scripts.
    public struct Counts: Hashable, Sendable {
        /// The number of packets that were requested from demuxers.
        public var reads = 0
        /// The number of seeks in a container. A seek of a player that is served from buffered packets is not counted.
        public var seeks = 0
        /// The number of packets that decoders accepted.
        public var decoded = 0
        /// The number of demuxers that were cancelled. Each is counted once.
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
        /// The number of URLs that `add(_:)` has created.
        var addedCount = 0
        var opened: [String] = []
        var counts = Counts()
        /// The counts of each location.
        var countsByLocation: [String: Counts] = [:]
        var optionsByLocation: [String: [DecoderOptions]] = [:]
    }

    /// The default script, or nil if URLs without a script are not found.
    private let media: ScriptedMedia?
    /// The driver whose clock ends scripted stalls.
    private let driver: any Driver
    private let makeStretcher: @Sendable () -> (any AudioTimeStretcher)?
    private let onCall: @Sendable (ScriptedCall) -> Void
    private let state = Locked(State())

    /// Creates a backend with a default script.
    ///
    /// - Parameters:
    ///   - media: The default script.
    ///   - driver: The driver, whose clock ends scripted stalls.
    ///   - makeStretcher: A closure that creates a time stretcher for rates other than 1. Without one, audio is
    ///     delivered unchanged.
    ///   - onCall: A closure that is called for each operation, on the lane that performs it.
    public init(
        _ media: ScriptedMedia = ScriptedMedia(),
        driver: any Driver,
        makeStretcher: @escaping @Sendable () -> (any AudioTimeStretcher)? = { nil },
        onCall: @escaping @Sendable (ScriptedCall) -> Void = { _ in }
    ) {
        self.media = media
        self.driver = driver
        self.makeStretcher = makeStretcher
        self.onCall = onCall
    }

    /// Creates a backend that finds only the given URLs.
    ///
    /// - Parameters:
    ///   - scripts: The script of each URL.
    ///   - driver: The driver, whose clock ends scripted stalls.
    ///   - onCall: A closure that is called for each operation, on the lane that performs it.
    public init(
        scripts: [URL: ScriptedMedia],
        driver: any Driver,
        onCall: @escaping @Sendable (ScriptedCall) -> Void = { _ in }
    ) {
        media = nil
        self.driver = driver
        makeStretcher = { nil }
        self.onCall = onCall
        for (url, script) in scripts { self[url] = script }
    }

    /// Accesses the script of a URL. A new script applies to demuxers that are opened from now on; nil removes the
    /// script.
    ///
    /// - Parameter url: The URL.
    public subscript(url: URL) -> ScriptedMedia? {
        get { state.withLock { $0.scripts[Self.location(of: url)] } }
        set { state.withLock { $0.scripts[Self.location(of: url)] = newValue } }
    }

    /// Creates a URL that opens a script.
    ///
    /// - Parameter media: The script, or nil for the default script.
    /// - Returns: The new URL.
    public func add(_ media: ScriptedMedia? = nil) -> URL {
        state.withLock { state in
            state.addedCount += 1
            let path = "/script-\(state.addedCount)"
            state.scripts[path] = media ?? self.media
            return URL(fileURLWithPath: path)
        }
    }

    /// Creates an asset for a URL.
    ///
    /// - Parameter url: A URL that has a script.
    /// - Returns: An asset that is opened by this backend.
    public func makeAsset(at url: URL) -> Asset { Asset(url: url, backend: self) }

    /// Returns the location that a player requests for a URL: the path of a file URL, and any other URL unchanged.
    private static func location(of url: URL) -> String {
        if url.isFileURL { return url.path }
        return url.scheme == nil ? url.relativePath : url.absoluteString
    }

    /// Returns the number of demuxers that were created for a URL.
    ///
    /// - Parameter url: The URL.
    /// - Returns: The number of demuxers.
    public func openCount(of url: URL) -> Int {
        let location = Self.location(of: url)
        return state.withLock { $0.opened.count { $0 == location } }
    }

    /// Returns the operations that were performed on the script of a URL.
    ///
    /// - Parameter url: The URL.
    /// - Returns: The counts of the URL.
    public func counts(of url: URL) -> Counts {
        state.withLock { $0.countsByLocation[Self.location(of: url)] ?? Counts() }
    }

    /// Returns the options of all video decoders that were created for a URL.
    ///
    /// - Parameter url: The URL.
    /// - Returns: The options, in the order of creation.
    public func decoderOptions(of url: URL) -> [DecoderOptions] {
        state.withLock { $0.optionsByLocation[Self.location(of: url)] ?? [] }
    }

    /// Creates an asset with a URL of its own.
    ///
    /// - Parameter media: The script, or nil for the default script.
    /// - Returns: An asset that is opened by this backend.
    public func makeAsset(_ media: ScriptedMedia? = nil) -> Asset { Asset(url: add(media), backend: self) }
    /// Creates an item with an asset of its own.
    ///
    /// - Parameter media: The script, or nil for the default script.
    /// - Returns: The new item.
    public func makeItem(_ media: ScriptedMedia? = nil) -> PlayerItem { PlayerItem(asset: makeAsset(media)) }

    /// The locations for which demuxers were created, in order.
    public var opened: [String] { state.withLock { $0.opened } }
    /// The operations that were performed so far. Any thread may read it.
    public var counts: Counts { state.withLock { $0.counts } }

    public func makeDemuxer(for request: OpenRequest) -> any Demuxer {
        let location = request.location
        let script = state.withLock { state in
            state.opened.append(location)
            return state.scripts[location] ?? media ?? ScriptedMedia(faults: [.openFails(.notFound)])
        }
        let onCall: @Sendable (ScriptedCall) -> Void = { [weak self] in self?.count($0, of: location) }
        let onMakeDecoder: @Sendable (Int, DecoderOptions) -> Void = { [weak self] track, options in
            guard track == ScriptedMedia.videoTrack else { return }
            self?.state.withLock { $0.optionsByLocation[location, default: []].append(options) }
        }
        return ScriptedDemuxer(script, driver: driver, onCall: onCall, onMakeDecoder: onMakeDecoder)
    }

    private func count(_ call: ScriptedCall, of location: String) {
        state.withLock { state in
            state.counts.count(call)
            state.countsByLocation[location, default: Counts()].count(call)
        }
        onCall(call)
    }

    public func makeVideoConverter() -> any VideoConverter { PassingConverter() }
    public func makeAudioConverter(to format: AudioFormat) -> any AudioConverter { PassingConverter() }
    public func makeAudioTimeStretcher() -> (any AudioTimeStretcher)? { makeStretcher() }
}

/// A converter that returns its input. Scripted media have a single format.
private final class PassingConverter: VideoConverter, AudioConverter {
    func convert(
        _ frame: VideoFrame,
        to pixelFormat: PixelFormat,
        size: PixelSize
    ) throws(MediaError) -> VideoFrame { frame }

    /// Returns a frame of the requested size with the same number. Samples are not scaled.
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
        guard let scripted = frame.storage as? ScriptedFrame else { return frame }
        var result = frame
        result.format = frame.format.laidOut(by: geometry)
        result.storage = ScriptedFrame(scripted.index, size: geometry.target)
        return result
    }

    private static let largestArea = 1 << 28

    func convert(_ buffer: AudioBuffer) throws(MediaError) -> AudioBuffer? { buffer }
    func drain() throws(MediaError) -> AudioBuffer? { nil }
    func reset() {}
}
