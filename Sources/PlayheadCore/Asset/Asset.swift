import FFmpeg
public import FoundationEssentials
import HLS
public import MediaCore
import Network
import PlaybackEngine
public import PlayheadBackend

/// The media at a URL: its tracks, duration and metadata.
///
/// Creating an asset does no I/O. A loaded asset is immutable and may be shared between any number of items. All
/// members may be used from any thread.
public final class Asset: Sendable {
    /// The URL that the asset was created with.
    public let url: URL
    /// The options that the asset is opened with. If `network` is nil, the options of a player apply
    /// (`Player.Configuration.network`).
    public let options: AssetOptions

    private struct State {
        var status = LoadStatus.unknown
        var media: MediaDescription?
        var error: PlaybackError?
        /// The callers that wait in `load()`, by number.
        var waiters: [UInt64: Waiter] = [:]
        var nextCaller: UInt64 = 0
        /// The demuxer that is being opened for the waiting callers.
        var demuxer: (any Demuxer)?
        /// The call that opens `demuxer`.
        var opening: ResumableCall?
    }
    private typealias Waiter = @Sendable (Result<Void, PlaybackError>) -> Void

    private let state = Locked(State())
    /// The sources, or nil before the network options are decided.
    private let decidedSources = Locked<AssetSources?>(nil)
    /// The backend that the asset was created with, or nil.
    private let ownBackend: (any MediaBackend)?
    /// The result of a preloader, until a player claims it.
    private let preloaded = Locked<PreloadedDemuxer?>(nil)
    /// The backend for openings without a player.
    var backend: any MediaBackend { ownBackend ?? Player.Configuration().backend }

    /// Creates an asset for a URL without doing any I/O.
    ///
    /// A missing file is reported by `load()`, or by the status of an item. `load()` opens the asset with FFmpeg; a
    /// player opens it with the backend of its configuration.
    ///
    /// - Parameters:
    ///   - url: The URL of the media: a file, or an http or https URL.
    ///   - options: How to open the asset.
    public convenience init(url: URL, options: AssetOptions = AssetOptions()) {
        self.init(url: url, options: options, ownBackend: nil)
    }

    /// Creates an asset with a backend of its own, which takes precedence over the backend of the player.
    ///
    /// The asset's backend demuxes and decodes for `load()`, items, still images and subtitles. Frames and audio are
    /// converted by the player's backend. `PlayheadTesting` uses this initializer.
    ///
    /// - Parameters:
    ///   - url: The URL of the media.
    ///   - options: How to open the asset.
    ///   - backend: The backend that opens the asset.
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
    }

    /// Decides the network options of an asset that was created without any (`AssetOptions.network`). The first call
    /// before the asset is opened has an effect.
    ///
    /// - Parameter network: The options of the player, the preloader or the feed that the asset is given to.
    package func setDefaultNetworkOptions(_ network: NetworkOptions) { _ = sources(network) }

    /// Returns the sources. The first call creates them, with `network` if the asset has no options of its own.
    private func sources(_ network: NetworkOptions = NetworkOptions()) -> AssetSources {
        decidedSources.withLock { decided in
            if let decided { return decided }
            let new = AssetSources(of: url, options, network: options.network ?? network)
            decided = new
            return new
        }
    }

    /// The options for requests. The first access decides them.
    var network: NetworkOptions { sources().network }

    /// The loading status. It becomes `.loaded` also when an item opens the asset for playback.
    public var status: LoadStatus { state.withLock { $0.status } }
    /// The reason why `status` is `.failed` or `.cancelled`; otherwise nil.
    public var error: PlaybackError? { state.withLock { $0.error } }
    /// The duration, or `.indefinite` until the asset is loaded and if the media declares none.
    public var duration: MediaTime { media?.duration ?? .indefinite }
    /// The tracks in the order of the container. Empty until the asset is loaded.
    public var tracks: [Track] { media?.tracks ?? [] }
    /// The chapters, sorted by start time. Empty until the asset is loaded, and if there are no chapters.
    public var chapters: [Chapter] { media?.chapters ?? [] }
    /// The metadata of the container, sorted by key. Empty until the asset is loaded.
    public var metadata: [MetadataItem] {
        (media?.metadata ?? [:]).sorted { $0.key < $1.key }
            .map { MetadataItem(key: $0.key, value: $0.value) }
    }
    /// Whether the file declares that movie fragments may follow (MP4). False until the asset is loaded.
    public var canContainFragments: Bool { media?.canContainFragments ?? false }
    /// Whether the file contained at least one movie fragment when it was opened. Fragments that are appended later are
    /// not noticed.
    public var containsFragments: Bool { media?.containsFragments ?? false }
    /// The declared duration including fragments that are still to come. `.invalid` until the asset is loaded, and if
    /// the file declares none.
    public var overallDurationHint: MediaTime { media?.overallDurationHint ?? .invalid }
    /// Everything that was learned by opening the container. Nil until the asset is loaded.
    public var media: MediaDescription? { state.withLock { $0.media } }

    /// Opens the container and loads all properties of the asset.
    ///
    /// The method is idempotent, and concurrent callers share one opening. Cancelling a caller's task affects that
    /// caller only. If all callers have been cancelled, the opening is cancelled too, and the next call starts again.
    ///
    /// - Throws: `PlaybackError` if the container cannot be opened, or with the code `.cancelled` if the caller's task
    ///   or the loading was cancelled.
    public func load() async throws(PlaybackError) {
        let isCancelled = Locked(false)
        let caller = makeCaller()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                wait(as: caller, isCancelled: isCancelled.withLock { $0 }) {
                    continuation.resume(returning: $0)
                }
                // The task may have been cancelled before its continuation was registered.
                if isCancelled.withLock({ $0 }) { removeWaiter(caller) }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
            removeWaiter(caller)
        }
        try result.get()
    }

    /// Loads the asset like `load()`, without a task: the calls are made on threads of the loading, so a caller that
    /// blocks a thread of the cooperative pool until then cannot prevent them.
    ///
    /// - Parameter completionHandler: Called once with the result; before the method returns if it is known already,
    ///   otherwise on the thread that loads or cancels.
    package func load(completionHandler: @escaping @Sendable (Result<Void, PlaybackError>) -> Void) {
        wait(as: makeCaller(), isCancelled: false, completionHandler)
    }

    private func makeCaller() -> UInt64 {
        state.withLock { state in
            state.nextCaller += 1
            return state.nextCaller
        }
    }

    /// Calls `waiter` with the result of loading, which starts if necessary.
    private func wait(as caller: UInt64, isCancelled: Bool, _ waiter: @escaping Waiter) {
        let (settled, mustStart) = state.withLock { state -> (Result<Void, PlaybackError>?, Bool) in
            switch state.status {
            case .loaded: return (.success(()), false)
            case .failed, .cancelled: return (.failure(state.error ?? Self.cancelled(url)), false)
            case .loading, .unknown:
                if isCancelled { return (.failure(Self.cancelled(url)), false) }
                let isFirst = state.status == .unknown
                state.status = .loading
                state.waiters[caller] = waiter
                return (nil, isFirst)
            }
        }
        if let settled { waiter(settled) }
        if mustStart { start() }
    }

    /// The number of callers that wait in `load()`.
    package var waitingCallers: Int { state.withLock { $0.waiters.count } }

    /// Removes a cancelled caller. The last one cancels the opening.
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
        waiter?(.failure(Self.cancelled(url)))
    }

    /// Cancels loading: every waiting and every later call of `load()` throws an error with the code `.cancelled`.
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
        let opening = ResumableCall(of: demuxer, on: lane) { [self] in
            do throws(MediaError) {
                guard case .ready(let description) = try demuxer.open() else { return .pending }
                finish(.success(description), of: demuxer)
            } catch {
                finish(.failure(error), of: demuxer)
            }
            return .ready(())
        }
        // The call is retained until it has ended or has been cancelled; it retains the asset.
        let isStillWanted = state.withLock { state in
            guard state.demuxer === demuxer else { return false }
            state.opening = opening
            return true
        }
        if isStillWanted { opening.begin() }
    }

    /// Returns the backend that opens the asset for a player with `backend`.
    func backend(of backend: any MediaBackend) -> any MediaBackend { ownBackend ?? backend }

    /// Stores the result of a preloader and replaces the result of an earlier one.
    func setPreloaded(_ demuxer: PreloadedDemuxer) { preloaded.withLock { $0 = demuxer } }

    func removePreloaded(_ demuxer: PreloadedDemuxer) {
        preloaded.withLock { if $0 === demuxer { $0 = nil } }
    }

    /// Returns the demuxer that a preloader has prepared, if it is suitable for the player, or else a new one.
    func claimDemuxer(
        _ backend: any MediaBackend,
        decoding: DecodingPolicy,
        _ options: DemuxerOptions
    ) -> any Demuxer {
        if let made = preloaded.withLock({ $0 }), made.claim(self.backend(of: backend), decoding, options) {
            removePreloaded(made)
            return made
        }
        return makeDemuxer(backend, decoding: decoding, options)
    }

    /// Limits the bytes that are received ahead of demuxing. Nil removes the limit.
    func limitReadAhead(to byteCount: Int?) {
        if case .success(let source?) = sources().remote { source.limitReadAhead(to: byteCount) }
    }

    /// The window of a live presentation, and the time of the network's clock. Nil for other media, and before the asset
    /// has been opened.
    var liveWindow: (window: LiveWindow, now: Int64)? {
        guard let playlists = decidedSources.withLock({ $0 })?.playlists, let window = playlists.liveWindow
        else {
            return nil
        }
        return (window, playlists.root.now)
    }

    /// The validator of the representation that the server has sent, or nil if the asset is not read over HTTP, has not
    /// been opened, or its server declares none. See `HTTPRepresentation.representation`.
    package var representation: String? {
        guard case .success(let source?)? = decidedSources.withLock({ $0 })?.remote else { return nil }
        return source.source?.representation
    }

    /// Creates a demuxer for the asset.
    ///
    /// - Parameters:
    ///   - backend: The player's backend, which is used if the asset has none of its own. Nil without a player.
    ///   - decoding: The limits for opening.
    ///   - reading: The purpose and the order of the caller's reads.
    func makeDemuxer(
        _ backend: (any MediaBackend)? = nil,
        decoding: DecodingPolicy = DecodingPolicy(),
        _ reading: DemuxerOptions = DemuxerOptions()
    ) -> any Demuxer {
        let backend = ownBackend ?? backend ?? self.backend
        var request = OpenRequest(location: location)
        request.source = options.byteSource
        let sources = sources()
        if backend.readsURLsFromSources {
            switch sources.remote {
            case .success(nil): break
            case .success(let source?):
                request.location = source.name
                request.source = source
            case .failure(let error): return FailedDemuxer(error)
            }
        }
        request.container = options.container
        request.subtitleEncoding = options.subtitleEncoding
        request.probesFully = options.preciseTiming
        request.maximumStreamCount = decoding.maximumStreamCount
        request.maximumPixelCount = decoding.maximumPixelCount
        request.options = reading
        guard let playlists = sources.playlists, let backend = backend as? any SegmentBackend else {
            return backend.makeDemuxer(for: request)
        }
        // Each demuxer opens a local file for itself.
        let source = playlists.isLocal ? FileResource(location: location) : playlists.root
        return DetectingDemuxer(request, source, backend: backend, resources: playlists)
    }

    /// The role of the lane that reads the asset. Sources and backends of the application, and everything that is not a
    /// file, may block.
    var loadingRole: LaneRole {
        options.byteSource == nil && ownBackend == nil && url.isFileURL ? .fileIO : .blockingIO
    }

    /// The location for the backend; see `AssetSources.location(of:)`.
    var location: String { AssetSources.location(of: url) }

    /// Handles the end of an opening for `load()`; the result of a cancelled opening is ignored.
    private func finish(_ result: Result<MediaDescription, MediaError>, of demuxer: any Demuxer) {
        let isAwaited = state.withLock { state in
            guard state.demuxer === demuxer else { return false }
            state.demuxer = nil
            state.opening = nil
            return true
        }
        if isAwaited { settle(result) }
    }

    /// Handles the result of an opening by an item or an image generator. A failure is ignored: the opening may have
    /// been cancelled, or may have had limits of its own.
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
        // Nothing waits for the opening any more.
        demuxer?.cancel()
        for waiter in waiters { waiter(outcome) }
    }

    private static func cancelled(_ url: URL) -> PlaybackError {
        PlaybackError(MediaError(.cancelled, "loading was cancelled"), url: url)
    }
}
