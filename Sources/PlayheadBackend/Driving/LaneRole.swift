import Dispatch
import MediaCore

/// What a lane is for. It decides which lane goes before which, and how many of a kind run at the same time.
public enum LaneRole: Hashable, Sendable {
    /// The player's own: state, timeline, decisions. Never blocks.
    case control
    /// Opening, demuxing, subtitles, still images: reading may block.
    case blockingIO
    /// The same of files: reading them takes a moment and ends. They have places of their own, so that sources that block, in
    /// however many players, keep no file from being read.
    case fileIO
    /// Decoders, audio and video in turn. Never blocks on I/O.
    case decoding
    /// One sink, one kind of conversion, one layer's filter, the audio sink, or the taps that look on. What is called
    /// there may take its time; it holds up its own lane alone.
    case output
}
