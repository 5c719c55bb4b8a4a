public import Foundation
import HLS
public import MediaCore
import Network
import PlaybackEngine
public import PlayheadBackend

/// What a URL holds. Making one does no I/O. Immutable once loaded; shared freely between items.
public final class Asset: Sendable {
    /// What it was made with.
    public let url: URL
    /// How it is opened.
    public let options: AssetOptions

    private struct State {
        var status = LoadStatus.unknown
        var media: MediaDescription?
        var error: PlaybackError?
        /// Callers of `load()` by number.
        var waiters: [UInt64: Waiter] = [:]
        var nextCaller: UInt64 = 0
        /// What the callers wait for.
        var demuxer: (any Demuxer)?
        /// Opens it.
        var opening: ResumableCall?
    }
    private typealias Waiter = CheckedContinuation<Result<Void, PlaybackError>, Never>

    private let state = Locked(State())
    /// What all who open the asset read from, so that what came once is there for the next: nil for what is no http or
    /// https URL, and where the bytes are the user's own.
    private let remote: Result<SharedHTTPSource?, MediaError>
    /// What all who open the asset share where it is a playlist; nil where `remote` has nothing.
    private let playlists: PresentationResources?
    /// nil: none of its own.
    private let ownBackend: (any MediaBackend)?
    /// What a preloader has made of it, until a player takes it.
    private let preloaded = Locked<PreloadedDemuxer?>(nil)
    /// Without a player.
    var backend: any MediaBackend { ownBackend ?? Player.Configuration().backend }

    /// Does no I/O: a file that is not there is told of by `load()`, or by an item's status (AVURLAsset). `load()`
    /// opens it with FFmpeg, and a player with the backend of its configuration.
    public convenience init(url: URL, options: AssetOptions = AssetOptions()) {
        self.init(url: url, options: options, ownBackend: nil)
    }

    /// With a backend of the caller's, which wins over the one of the configuration of whatever player opens it: it
    /// takes the container apart and decodes, for `load()`, items, stills and text. What is shown and heard is converted by
    /// the player's. See `PlayheadTesting`.
    public convenience init(
        url: URL,
        options: AssetOptions = AssetOptions(),
        backend: any MediaBackend
    ) {
        self.init(url: url, options: options, ownBackend: backend)
    }

    init(url: URL, options: AssetOptions, ownBackend: (any MediaBackend)?) {
        self.url = url
        self.options = options
        self.ownBackend = ownBackend
        let remote = Result<SharedHTTPSource?, MediaError> { () throws(MediaError) in
            guard options.byteSource == nil, let scheme = url.scheme?.lowercased(),
                ["http", "https"].contains(scheme)
            else { return nil }
            return try SharedHTTPSource(
                url: url.absoluteString,
                options: options.network,
                urlRefresh: Self.urlRefresh(of: url, options)
            )
        }
        self.remote = remote
        if case .success(let source?) = remote {
            playlists = PresentationResources(provider: NetworkResources(source))
        } else {
            playlists = nil
        }
    }

    private static func urlRefresh(of url: URL, _ options: AssetOptions) -> HTTPByteSource.URLRefresh? {
        guard let renewedURL = options.renewedURL else { return nil }
        return { error in await renewedURL(url, PlaybackError(error, url: url))?.absoluteString }
    }

    /// How far loading has come. An item that opened the asset by itself has loaded it too.
    public var status: LoadStatus { state.withLock { $0.status } }
    /// Why `status` is failed or cancelled; else nil.
    public var error: PlaybackError? { state.withLock { $0.error } }
    /// `.indefinite` until loaded, and for media that does not say.
    public var duration: MediaTime { media?.duration ?? .indefinite }
    /// Empty until loaded.
    public var tracks: [Track] { media?.tracks ?? [] }
    /// By start; empty until loaded, and where there are none.
    public var chapters: [Chapter] { media?.chapters ?? [] }
    /// Sorted by key.
    public var metadata: [MetadataItem] {
        (media?.metadata ?? [:]).sorted { $0.key < $1.key }
            .map { MetadataItem(key: $0.key, value: $0.value) }
    }
    /// The file says that fragments may follow (MP4). False until loaded.
    public var canContainFragments: Bool { media?.canContainFragments ?? false }
    /// At least one fragment was there when the file was opened; what is added later is not looked for.
    public var containsFragments: Bool { media?.containsFragments ?? false }
    /// Of all fragments, those to come included; `.invalid` until loaded, and where the file does not say.
    public var overallDurationHint: MediaTime { media?.overallDurationHint ?? .invalid }
    /// All that opening taught us; nil until loaded.
    public var media: MediaDescription? { state.withLock { $0.media } }

    /// Opens the container, on a lane of its own. Idempotent; concurrent callers share one load. A caller whose task
    /// is cancelled gets an error with the code `.cancelled`, and nobody else does: the others get what they asked
    /// for, and where nobody waits any more the opening is called off and the next call begins anew.
    public func load() async throws(PlaybackError) {
        let isCancelled = Locked(false)
        let caller = state.withLock { state in
            state.nextCaller += 1
            return state.nextCaller
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isEarly = isCancelled.withLock { $0 }
                let (settled, mustStart) = state.withLock { state -> (Result<Void, PlaybackError>?, Bool) in
                    switch state.status {
                    case .loaded: return (.success(()), false)
                    case .failed, .cancelled:
                        return (.failure(state.error ?? Self.cancelled(url)), false)
                    case .loading, .unknown:
                        if isEarly { return (.failure(Self.cancelled(url)), false) }
                        let isFirst = state.status == .unknown
                        state.status = .loading
                        state.waiters[caller] = continuation
                        return (nil, isFirst)
                    }
                }
                if let settled { continuation.resume(returning: settled) }
                if mustStart { start() }
                // It may have been cancelled before it was among those who wait.
                if isCancelled.withLock({ $0 }) { removeWaiter(caller) }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
            removeWaiter(caller)
        }
        try result.get()
    }

    /// How many callers of `load()` wait for it.
    package var waitingCallers: Int { state.withLock { $0.waiters.count } }

    /// This caller does not want it any more. The last one to go calls the opening off.
    private func removeWaiter(_ caller: UInt64) {
        let (waiter, unwanted) = state.withLock { state -> (Waiter?, (any Demuxer)?) in
            guard let waiter = state.waiters.removeValue(forKey: caller) else { return (nil, nil) }
            guard state.waiters.isEmpty else { return (waiter, nil) }
            state.status = .unknown
            defer {
                state.demuxer = nil
                state.opening = nil
            }
            return (waiter, state.demuxer)
        }
        unwanted?.cancel()
        waiter?.resume(returning: .failure(Self.cancelled(url)))
    }

    /// Every caller waiting in `load()` gets an error with the code `.cancelled`, and so does who calls it later.
    public func cancelLoading() { settle(.failure(MediaError(.cancelled, "loading was cancelled"))) }

    private func start() {
        let demuxer = makeDemuxer()
        let isWanted = state.withLock { state in
            guard state.status == .loading, state.demuxer == nil else { return false }
            state.demuxer = demuxer
            return true
        }
        guard isWanted else { return }
        let driver = PoolDriver()
        if let refusal = driver.refusal { return finish(.failure(refusal), of: demuxer) }
        let lane = driver.makeLane(loadingRole, label: "asset")
        let opening = ResumableCall(of: demuxer, on: lane, of: driver) { [self] in
            do throws(MediaError) {
                finish(.success(try demuxer.open()), of: demuxer)
            } catch {
                if error.code == .notReady { return true }
                finish(.failure(error), of: demuxer)
            }
            return false
        }
        // Held until it is done, or nobody wants it any more; it holds the asset meanwhile.
        let isStillWanted = state.withLock { state in
            guard state.demuxer === demuxer else { return false }
            state.opening = opening
            return true
        }
        if isStillWanted { opening.begin() }
    }

    /// What opens it for a player with `backend`.
    func backend(of backend: any MediaBackend) -> any MediaBackend { ownBackend ?? backend }

    /// What is taken replaces what another preloader has made.
    func setPreloaded(_ demuxer: PreloadedDemuxer) { preloaded.withLock { $0 = demuxer } }

    func removePreloaded(_ demuxer: PreloadedDemuxer) {
        preloaded.withLock { if $0 === demuxer { $0 = nil } }
    }

    /// For a player: what a preloader has made of the asset, where it has made something that serves, and a demuxer that opens
    /// it anew else.
    func claimDemuxer(_ backend: any MediaBackend, decoding: DecodingPolicy) -> any Demuxer {
        if let made = preloaded.withLock({ $0 }), made.claim(self.backend(of: backend), decoding) {
            removePreloaded(made)
            return made
        }
        return makeDemuxer(backend, decoding: decoding)
    }

    /// Bytes that are fetched ahead of who plays it, before they are packets; nil: as many as ever.
    func limitReadAhead(to byteCount: Int?) {
        if case .success(let source?) = remote { source.limitReadAhead(to: byteCount) }
    }

    /// `backend`: the player's, for an asset without one of its own; nil: without a player.
    func makeDemuxer(
        _ backend: (any MediaBackend)? = nil,
        decoding: DecodingPolicy = DecodingPolicy()
    ) -> any Demuxer {
        let backend = ownBackend ?? backend ?? self.backend
        var request = OpenRequest(location: location)
        request.source = options.byteSource
        if backend.readsURLsFromSources {
            switch remote {
            case .success(nil): break
            case .success(let source?):
                request.location = source.name
                request.source = source
            case .failure(let error): return FailedDemuxer(error)
            }
        }
        request.container = options.overrideMIMEType.map { MIMEType.container(of: $0) ?? $0 }
        request.probesFully = options.preciseTiming
        request.maximumStreamCount = decoding.maximumStreamCount
        request.maximumPixelCount = decoding.maximumPixelCount
        if let source = request.source as? SharedHTTPSource, let playlists, options.byteSource == nil,
            let backend = backend as? any SegmentBackend
        {
            return NetworkDemuxer(
                request,
                source,
                url: source.location,
                backend: backend,
                resources: playlists
            )
        }
        return backend.makeDemuxer(for: request)
    }

    /// The lane that reads it. A source or a backend of the caller's may block, and so may what no file is.
    var loadingRole: LaneRole {
        options.byteSource == nil && ownBackend == nil && url.isFileURL ? .fileIO : .blockingIO
    }

    /// `file:` URLs as plain paths; "-" stays itself.
    private var location: String {
        if url.isFileURL { return url.path }
        return url.scheme == nil ? url.relativePath : url.absoluteString
    }

    /// What came of `load()`; nobody waits for an opening that was called off.
    private func finish(_ result: Result<MediaDescription, MediaError>, of demuxer: any Demuxer) {
        let isAwaited = state.withLock { state in
            guard state.demuxer === demuxer else { return false }
            state.demuxer = nil
            state.opening = nil
            return true
        }
        if isAwaited { settle(result) }
    }

    /// What an item, or a generator of stills, found when it opened the asset by itself. Where that fails it says
    /// nothing of the asset: it may have been let go of, or has limits of its own.
    func opened(_ result: Result<MediaDescription, MediaError>) {
        if case .success = result { settle(result) }
    }

    private func settle(_ result: Result<MediaDescription, MediaError>) {
        let (waiters, outcome, demuxer) = state.withLock { state in
            defer {
                state.waiters = [:]
                state.demuxer = nil
                state.opening = nil
            }
            if state.status != .loaded {
                switch result {
                case .success(let media):
                    state.status = .loaded
                    state.media = media
                    state.error = nil
                case .failure(let error):
                    state.status = error.code == .cancelled ? .cancelled : .failed
                    state.error = PlaybackError(error, url: url)
                }
            }
            let outcome: Result<Void, PlaybackError> = state.error.map { .failure($0) } ?? .success(())
            return (state.waiters.sorted { $0.key < $1.key }.map(\.value), outcome, state.demuxer)
        }
        // What is being opened for the callers of `load()` is of no use any more.
        demuxer?.cancel()
        for waiter in waiters { waiter.resume(returning: outcome) }
    }

    private static func cancelled(_ url: URL) -> PlaybackError {
        PlaybackError(MediaError(.cancelled, "loading was cancelled"), url: url)
    }
}
