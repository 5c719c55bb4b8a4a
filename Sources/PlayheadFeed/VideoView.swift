public import Foundation
public import Playhead

/// A view of a single clip. By default it plays muted and repeats.
///
/// The view shows a poster until the first frame, resumes after stalls, and releases all resources when the clip is
/// replaced, removed or fails.
///
///     let cover = VideoView(size: PixelSize(width: 360, height: 640))
///     cover.add(sink)
///     cover.url = story.coverURL
///
/// All members can be used from any thread, and none blocks.
public final class VideoView: Sendable {
    private struct State {
        var asset: Asset?
        var clips = ClipReadiness()
        var repeatMode = Player.RepeatMode.loop
        var poster = FeedPoster.firstFrame
        var isMuted = true
        /// Whether the application wants clips to play.
        var shouldPlay = true
        /// Whether the clip has played to its end and does not repeat.
        var hasEnded = false
        var onReady: (@Sendable () -> Void)?
        var onEnd: (@Sendable () -> Void)?
        var onFailure: (@Sendable (PlaybackError) -> Void)?
        /// The number of the newest clip.
        var number: Int { clips.number }
    }
    private let state = Locked(State())
    private let assets: Locked<[Int: Asset]>
    private let feed: FeedPlayer<Int>
    private let layer: FeedLayer
    private static var viewport: FeedViewport { FeedViewport(CGRect(x: 0, y: 0, width: 1, height: 1)) }

    /// Creates a view without a clip.
    ///
    /// - Parameters:
    ///   - size: The output size in pixels, or nil for the size of the video.
    ///   - configuration: The configuration of the player.
    ///   - posters: The cache that posters are stored in.
    ///   - budget: The budget that the player shares with its other members.
    public init(
        size: PixelSize? = nil,
        configuration: Player.Configuration = Player.Configuration(),
        posters: PosterCache = .shared,
        budget: PlaybackBudget = .shared
    ) {
        let assets = Locked<[Int: Asset]>([:])
        self.assets = assets
        var settings = FeedSettings()
        settings.readyCount = 0
        layer = FeedLayer(size: size)
        feed = FeedPlayer(
            settings: settings,
            configuration: configuration,
            posters: posters,
            budget: budget
        ) { number in
            assets.withLock { $0[number] }
        }
        feed.setViewport(Self.viewport)
        feed.setEndHandler { [weak self] number in self?.handleEnd(of: number) }
        feed.setFailureHandler { [weak self] number, error in self?.handleFailure(of: number, error) }
        layer.setNumberedContentHandler { [weak self] content, binding in
            if content == .video { self?.handleFirstFrame(of: binding) }
        }
    }

    private func handleEnd(of number: Int) {
        let handler = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.number == number else { return nil }
            state.hasEnded = true
            return state.onEnd
        }
        handler?()
    }

    private func handleFailure(of number: Int, _ error: PlaybackError) {
        state.withLock { $0.number == number ? $0.onFailure : nil }?(error)
    }

    private func handleFirstFrame(of binding: UInt64) {
        let handler = state.withLock { $0.clips.isFirstFrame(of: binding) ? $0.onReady : nil }
        if let handler { feed.perform(handler) }
    }

    /// The URL of the clip. A new clip plays immediately unless `isPlaying` is false; nil releases all resources.
    public var url: URL? {
        get { state.withLock { $0.asset?.url } }
        set { asset = newValue.map { Asset(url: $0) } }
    }

    /// The asset of the clip, for one with options or a byte source of its own. Setting it replaces `url`.
    public var asset: Asset? {
        get { state.withLock { $0.asset } }
        set {
            let previous = state.withLock { state in
                state.asset = newValue
                state.hasEnded = false
                return state.clips.beginClip()
            }
            feed.setLayer(nil, for: previous)
            // Another thread, or a handler, may set another clip. The newest one is applied last.
            feed.perform { [weak self] in self?.applyClip() }
        }
    }

    /// Gives the feed the newest clip. It runs on the feed's queue.
    private func applyClip() {
        let (number, asset, shouldPlay) = state.withLock { ($0.number, $0.asset, $0.shouldPlay) }
        assets.withLock { $0 = asset.map { [number: $0] } ?? [:] }
        guard asset != nil else { return feed.apply(.cells([])) }
        // Replacing the cell in one step lets the new clip reuse the player.
        feed.apply(.cells([FeedCell(number, frame: Self.viewport.bounds)]))
        if !shouldPlay { feed.apply(.userPause(number, true)) }
        feed.setLayer(layer, for: number)
        // No frame of the clip is shown before this closure returns.
        state.withLock { $0.clips.assignLayer(to: number, layer.binding) }
    }

    /// The repeat mode, `.loop` by default. With `.once` the last frame stays visible.
    public var repeatMode: Player.RepeatMode {
        get { state.withLock { $0.repeatMode } }
        set {
            state.withLock { $0.repeatMode = newValue }
            feed.change { [state] settings in
                settings.loops = state.withLock { $0.repeatMode } == .loop
            }
        }
    }

    /// The content that is shown until the first frame of a clip: by default that first frame, made before the player has
    /// opened the clip. A new value applies at once if no frame is shown yet, and to all later clips.
    public var poster: FeedPoster {
        get { state.withLock { $0.poster } }
        set {
            state.withLock { $0.poster = newValue }
            feed.setPosterHandler { [weak self] _ in self?.poster ?? .firstFrame }
        }
    }

    /// The output size in pixels, or nil for the size of the video.
    public var size: PixelSize? {
        get { layer.size }
        set { layer.size = newValue }
    }

    /// The color of the part of `size` that the video does not cover.
    public var backgroundColor: Color {
        get { layer.backgroundColor }
        set { layer.backgroundColor = newValue }
    }

    /// The way in which the video fills `size`.
    public var contentMode: VideoGravity {
        get { layer.videoGravity }
        set { layer.videoGravity = newValue }
    }

    /// A Boolean value that indicates whether the view is muted. The default is true.
    public var isMuted: Bool {
        get { state.withLock { $0.isMuted } }
        set {
            state.withLock { $0.isMuted = newValue }
            feed.perform { [weak self] in
                if let self { feed.apply(.mute(isMuted)) }
            }
        }
    }

    /// A Boolean value that indicates whether the clip plays, or will play once there is one. The default is true.
    ///
    /// It becomes false when a clip that does not repeat has played to its end. Setting it to true plays that clip again,
    /// and a new clip plays in any case.
    public var isPlaying: Bool {
        get { state.withLock { $0.shouldPlay && !$0.hasEnded } }
        set {
            state.withLock { state in
                state.shouldPlay = newValue
                if newValue { state.hasEnded = false }
            }
            feed.perform { [weak self] in
                guard let self else { return }
                let (number, shouldPlay) = state.withLock { ($0.number, $0.shouldPlay) }
                feed.apply(.userPause(number, !shouldPlay))
            }
        }
    }

    /// Sets whether the view is on screen. The clip is paused while it is not.
    ///
    /// - Parameter isOnScreen: False while the view cannot be seen.
    public func setOnScreen(_ isOnScreen: Bool) { feed.setOnScreen(isOnScreen) }

    /// The content that the sinks show.
    public var content: FeedLayer.Content { layer.content }
    /// The error that prevents playback, or nil. After an error all resources except the poster have been released.
    public var error: PlaybackError? { feed.error(of: state.withLock { $0.number }) }
    /// The current player, or nil if there is no clip or the clip has failed.
    public var player: Player? { feed.player(for: state.withLock { $0.number }) }

    /// Sets a handler that is called when the first frame of a clip is shown.
    ///
    /// - Parameter handler: A closure that is called on the configuration's callback queue or a queue of the view, or
    ///   nil.
    public func setReadyHandler(_ handler: (@Sendable () -> Void)?) {
        state.set(\.onReady, to: handler)
    }
    /// Sets a handler that is called when a clip that does not repeat has played to its end.
    ///
    /// - Parameter handler: A closure that is called on the queue described at `setReadyHandler(_:)`, or nil.
    public func setEndHandler(_ handler: (@Sendable () -> Void)?) { state.set(\.onEnd, to: handler) }
    /// Sets a handler that is called when the clip cannot be played.
    ///
    /// - Parameter handler: A closure that is called on the queue described at `setReadyHandler(_:)`, or nil.
    public func setFailureHandler(_ handler: (@Sendable (PlaybackError) -> Void)?) {
        state.set(\.onFailure, to: handler)
    }

    /// Adds a sink, which receives the poster and the frames.
    ///
    /// - Parameter sink: The sink to add.
    public func add(_ sink: any VideoSink) { layer.add(sink) }
    /// Removes a sink and finishes it.
    ///
    /// - Parameter sink: The sink to remove.
    public func remove(_ sink: any VideoSink) { layer.remove(sink) }
}
