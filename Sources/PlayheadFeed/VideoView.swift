public import Foundation
public import Playhead

/// One clip with everything that a view of it needs: its poster until the first frame, loops, going on after a stall,
/// taking all down for another clip, for none, and when it fails. Muted, unless told otherwise.
///
///     let cover = VideoView(size: PixelSize(width: 360, height: 640))
///     cover.add(sink)
///     cover.url = story.coverURL
///
/// Any thread; nothing blocks.
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

    /// `size` in pixels; nil: the video's own. `budget`: what its player may use, together with its other members.
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

    /// What is shown; set, it plays at once, unless paused. nil: everything is let go of.
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
            // One clip for the other in one go: the player stays.
            feed.setCells([FeedCell(number, frame: Self.viewport.bounds)])
            if !isPlaying { feed.pause(number) }
            feed.setLayer(layer, for: number)
        }
    }

    /// `.loop` by default. `.once`: the last frame stays.
    public var repeatMode: Player.RepeatMode {
        get { state.withLock { $0.repeatMode } }
        set {
            state.withLock { $0.repeatMode = newValue }
            feed.change { $0.loops = newValue == .loop }
        }
    }

    /// How the video is laid into `size`: aspect fit or fill, or stretched.
    public var contentMode: VideoGravity {
        get { layer.videoGravity }
        set { layer.videoGravity = newValue }
    }

    /// True by default.
    public var isMuted: Bool {
        get { state.withLock { $0.isMuted } }
        set {
            state.withLock { $0.isMuted = newValue }
            feed.setMuted(newValue)
        }
    }

    /// Whether it plays, or would with a clip; true by default.
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

    /// False: it stands while nobody can see it.
    public func setOnScreen(_ isOnScreen: Bool) { feed.setOnScreen(isOnScreen) }

    /// What the sinks show.
    public var content: FeedLayer.Content { layer.content }
    /// Why there is nothing to see; everything but the poster has been let go of then.
    public var error: PlaybackError? { feed.error(of: state.withLock { $0.number }) }
    /// nil: there is nothing to play, or it failed.
    public var player: Player? { feed.player(for: state.withLock { $0.number }) }

    /// The sink gets poster and frames.
    public func add(_ sink: any VideoSink) { layer.add(sink) }
    /// The sink is finished.
    public func remove(_ sink: any VideoSink) { layer.remove(sink) }
}
