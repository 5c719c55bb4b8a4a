/// What becomes of frames that come due while a sink is busy with an earlier one.
///
/// It counts where time passes by itself. On the virtual clock playing waits for the sink, and nothing is ever left out. Neither
/// the clock nor another sink notices which policy a sink has. What a seek lands on, or a step, is never left out.
/// `VideoSinkCounters` tells what became of the frames of each sink.
public enum LateFramePolicy: Hashable, Sendable {
    /// A frame waits while the sink has one in hand; those that come then are left out. What waited longest comes
    /// first, so that a sink which is sometimes slow loses little.
    case dropLate
    /// As before, but a newer frame takes the place of the one that waits: a sink which is always slow shows what is due
    /// now, and not what was due one frame of its own earlier. For what is looked at.
    case newestOnly
    /// Frames are held back until the sink takes them: every one, in order, for what has to be whole. Up to 64 MiB of them
    /// wait; while that much does, those that come are left out.
    case holdBack
}
