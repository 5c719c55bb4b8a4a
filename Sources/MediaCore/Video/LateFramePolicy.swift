/// A policy for frames that become due while a sink is still busy with an earlier one.
///
/// It applies in real time. On the virtual clock, playback waits for the sink and no frame is dropped. The policy of
/// one sink affects neither the clock nor other sinks. The frame of a seek or a step is never dropped.
/// `VideoSinkCounters` reports delivered and dropped frames.
public enum LateFramePolicy: Hashable, Sendable {
    /// One frame waits while the sink is busy, and frames that become due then are dropped. The frame that waited
    /// longest is delivered first, so a sink that is slow occasionally loses few frames.
    case dropLate
    /// One frame waits while the sink is busy, and a newer frame replaces it. A sink that is always slow then shows
    /// the current frame instead of an older one. Suited to displays.
    case newestOnly
    /// Frames wait until the sink accepts them: all of them, in order. Suited to files. Up to 64 MiB of frames wait;
    /// beyond that, new frames are dropped.
    case holdBack
}
