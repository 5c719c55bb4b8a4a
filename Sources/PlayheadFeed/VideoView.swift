public import Foundation
public import Playhead

/// A view of a single clip: it shows a poster until the first frame, loops, resumes after stalls, and releases all
/// resources when the clip is replaced, removed or fails.
///
/// The view is muted by default.
///
///     let cover = VideoView(size: PixelSize(width: 360, height: 640))
///     cover.add(sink)
///     cover.url = story.coverURL
///
/// All members can be used from any thread, and none blocks.
public final class VideoView: Sendable {
    private struct State {
        var url: URL?
        var number = 0
        var repeatMode = Player.RepeatMode.loop
        var isMuted = true
        var isPlaying = true
    }
    private let state = Locked(State())
    private let urls: Locked<[Int: URL]>
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
        let urls = Locked<[Int: URL]>([:])
        self.urls = urls
        var settings = FeedSettings()
        settings.readyCount = 0
        layer = FeedLayer(size: size)
        feed = FeedPlayer(
            settings: settings,
            configuration: configuration,
            posters: posters,
            budget: budget
        ) { number in
            urls.withLock { $0[number] }.map { Asset(url: $0) }
        }
        feed.setViewport(Self.viewport)
    }

    /// The URL of the clip. A new clip plays immediately unless `isPlaying` is false; nil releases all resources.
    public var url: URL? {
        get { state.withLock { $0.url } }
        set {
            let (number, isPlaying) = state.withLock { state in
                state.url = newValue
                state.number += 1
                return (state.number, state.isPlaying)
            }
            urls.withLock { $0 = newValue.map { [number: $0] } ?? [:] }
            guard newValue != nil else { return feed.setCells([]) }
            // Replacing the cell in one step lets the new clip reuse the player.
            feed.setCells([FeedCell(number, frame: Self.viewport.bounds)])
            if !isPlaying { feed.pause(number) }
            feed.setLayer(layer, for: number)
        }
    }

    /// The repeat mode, `.loop` by default. With `.once` the last frame stays visible.
    public var repeatMode: Player.RepeatMode {
        get { state.withLock { $0.repeatMode } }
        set {
            state.withLock { $0.repeatMode = newValue }
            feed.change { $0.loops = newValue == .loop }
        }
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
            feed.setMuted(newValue)
        }
    }

    /// A Boolean value that indicates whether the clip plays, or will play once there is one. The default is true.
    public var isPlaying: Bool {
        get { state.withLock { $0.isPlaying } }
        set {
            let number = state.withLock { state in
                state.isPlaying = newValue
                return state.number
            }
            if newValue { feed.play(number) } else { feed.pause(number) }
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

    /// Adds a sink, which receives the poster and the frames.
    ///
    /// - Parameter sink: The sink to add.
    public func add(_ sink: any VideoSink) { layer.add(sink) }
    /// Removes a sink and finishes it.
    ///
    /// - Parameter sink: The sink to remove.
    public func remove(_ sink: any VideoSink) { layer.remove(sink) }
}
