public import Playhead

/// The content that a cell shows until its clip has a frame.
public enum FeedPoster: Sendable {
    /// The first frame of the clip.
    case firstFrame
    /// The first frame of another asset, for example a thumbnail or a picture file of a server. If it cannot be loaded,
    /// the first frame of the clip is shown.
    ///
    /// The poster is stored in the feed's `PosterCache`. A thumbnail is loaded at once, whereas the first frames of
    /// network clips are read when the clips that play have data.
    case asset(Asset)
    /// A frame of the application, which is fitted into the layer. If it cannot be converted, the first frame of the
    /// clip is shown.
    case frame(VideoFrame)
    /// No poster.
    case none
}
