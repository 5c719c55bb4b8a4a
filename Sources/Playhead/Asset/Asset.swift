public import Foundation
public import MediaCore
import PlaybackEngine

/// How to open an asset.
public struct AssetOptions: Sendable {
    /// Analyse the streams even where the header says enough: the best durations and frame rates that can be
    /// had, for a slower start.
    public var preciseTiming = false
    /// Bytes to read instead of opening the URL, which then only serves as a name.
    public var byteSource: (any ByteSource)?
    /// The type that the bytes are taken for ("video/mp2t"), whatever they and the URL's extension say; nil: those
    /// decide. Loading a type that is not known fails with `.unrecognizedFormat`.
    public var overrideMIMEType: String?

    public init(
        preciseTiming: Bool = false,
        byteSource: (any ByteSource)? = nil,
        overrideMIMEType: String? = nil
    ) {
        self.preciseTiming = preciseTiming
        self.byteSource = byteSource
        self.overrideMIMEType = overrideMIMEType
    }
}

public enum LoadStatus: String, Hashable, Sendable {
    case unknown, loading, loaded, failed, cancelled
}

/// One name and value that a container carries ("title", "artist" ...), by FFmpeg's key.
public struct MetadataItem: Hashable, Sendable {
    public var key: String
    public var value: String
}

/// What a URL holds. Making one does no I/O. Immutable once loaded; shared freely between items.
public final class Asset: Sendable {
    public let url: URL
    public let options: AssetOptions

    private struct State {
        var status = LoadStatus.unknown
        var description: MediaDescription?
        var error: PlaybackError?
        var waiters: [CheckedContinuation<Result<Void, PlaybackError>, Never>] = []
        var demuxer: (any Demuxer)?
    }
    private let state = Locked(State())
    let backend: any MediaBackend

    public convenience init(url: URL, options: AssetOptions = AssetOptions()) {
        self.init(url: url, options: options, backend: Player.Configuration().backend)
    }

    /// With a backend of the caller's; see `PlayheadTesting`.
    public init(url: URL, options: AssetOptions = AssetOptions(), backend: any MediaBackend) {
        self.url = url
        self.options = options
        self.backend = backend
    }

    public var status: LoadStatus { state.withLock { $0.status } }
    public var error: PlaybackError? { state.withLock { $0.error } }
    /// `.indefinite` until loaded, and for media that does not say.
    public var duration: MediaTime { description?.duration ?? .indefinite }
    /// Empty until loaded.
    public var tracks: [Track] { description?.tracks ?? [] }
    public var chapters: [Chapter] { description?.chapters ?? [] }
    /// Sorted by key.
    public var metadata: [MetadataItem] {
        (description?.metadata ?? [:]).sorted { $0.key < $1.key }
            .map { MetadataItem(key: $0.key, value: $0.value) }
    }
    /// The file says that fragments may follow (MP4). False until loaded.
    public var canContainFragments: Bool { description?.canContainFragments ?? false }
    /// At least one fragment was there when the file was opened; what is added later is not looked for.
    public var containsFragments: Bool { description?.containsFragments ?? false }
    /// Of all fragments, those to come included; `.invalid` until loaded, and where the file does not say.
    public var overallDurationHint: MediaTime { description?.overallDurationHint ?? .invalid }
    /// All that opening taught us; nil until loaded.
    public var description: MediaDescription? { state.withLock { $0.description } }

    /// Opens the container, on a queue of its own. Idempotent; concurrent callers share one load.
    public func load() async throws(PlaybackError) {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (settled, mustStart) = state.withLock { state -> (Result<Void, PlaybackError>?, Bool) in
                    switch state.status {
                    case .loaded: return (.success(()), false)
                    case .failed, .cancelled:
                        return (.failure(state.error ?? Self.cancelled(url)), false)
                    case .loading, .unknown:
                        let isFirst = state.status == .unknown
                        state.status = .loading
                        state.waiters.append(continuation)
                        return (nil, isFirst)
                    }
                }
                if let settled { continuation.resume(returning: settled) }
                if mustStart { start() }
            }
        } onCancel: {
            cancelLoading()
        }
        try result.get()
    }

    /// Every caller waiting in `load()` gets an error with the code `.cancelled`.
    public func cancelLoading() {
        let demuxer = state.withLock { state -> (any Demuxer)? in
            guard state.status == .loading else { return nil }
            return state.demuxer
        }
        demuxer?.cancel()
        finish(.failure(MediaError(.cancelled, "loading was cancelled")))
    }

    private func start() {
        let demuxer = makeDemuxer(backend)
        state.withLock { $0.demuxer = demuxer }
        let driver = PoolDriver()
        if let refusal = driver.refusal { return finish(.failure(refusal)) }
        driver.makeLane(.loading, label: "asset").enqueue { [self] in
            do throws(MediaError) {
                finish(.success(try demuxer.open()))
            } catch {
                finish(.failure(error))
            }
        }
    }

    func makeDemuxer() -> any Demuxer { makeDemuxer(backend) }

    func makeDemuxer(_ backend: any MediaBackend, decoding: DecodingPolicy = DecodingPolicy()) -> any Demuxer
    {
        var request = OpenRequest(location: location)
        request.source = options.byteSource
        request.container = options.overrideMIMEType.map { MIMEType.container(of: $0) ?? $0 }
        request.probesFully = options.preciseTiming
        request.maximumStreamCount = decoding.maximumStreamCount
        request.maximumPixelCount = decoding.maximumPixelCount
        return backend.makeDemuxer(for: request)
    }

    /// `file:` URLs as plain paths; "-" stays itself.
    private var location: String {
        if url.isFileURL { return url.path }
        return url.scheme == nil ? url.relativePath : url.absoluteString
    }

    /// Taken from an item's own opening, or from `load()`.
    func finish(_ result: Result<MediaDescription, MediaError>) {
        let (waiters, outcome) = state.withLock { state in
            defer { state.waiters = [] }
            if state.status != .loaded {
                switch result {
                case .success(let description):
                    state.status = .loaded
                    state.description = description
                    state.error = nil
                case .failure(let error):
                    state.status = error.code == .cancelled ? .cancelled : .failed
                    state.error = PlaybackError(error, url: url)
                }
            }
            state.demuxer = nil
            let outcome: Result<Void, PlaybackError> = state.error.map { .failure($0) } ?? .success(())
            return (state.waiters, outcome)
        }
        for waiter in waiters { waiter.resume(returning: outcome) }
    }

    private static func cancelled(_ url: URL) -> PlaybackError {
        PlaybackError(MediaError(.cancelled, "loading was cancelled"), url: url)
    }
}
