internal import CFFmpeg
internal import Glibc
internal import MediaCore

/// How many threads a decoder gets and what they share out.
struct ThreadPlan: Equatable {
    enum Kind { case frame, slice }
    var count: Int
    var kind: Kind
}

/// Chooses threads from what was measured, not from the number of cores alone: each frame thread costs a
/// frame's worth of memory and a frame of latency.
struct ThreadPolicy {
    /// Processors that this process may run on.
    var cores: Int
    /// Players that are likely to decode at the same time.
    var sharing: Int

    init(cores: Int = ThreadPolicy.availableCores, sharing: Int) {
        self.cores = max(1, cores)
        self.sharing = max(1, sharing)
    }

    static let availableCores: Int = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))

    /// Below this many pixels one core decodes several streams in real time.
    private static let smallFramePixelCount = 640 * 360
    private static let maximumThreadCount = 16

    /// `maximum`: no more than these, whatever else is set; nil: any. `hasConversion`: see `DecoderOptions`.
    func plan(requested: Int, pixelCount: Int, maximum: Int? = nil, hasConversion: Bool = false) -> ThreadPlan
    {
        let plan = plan(requested, pixelCount, hasConversion)
        guard let maximum, plan.count > max(1, maximum) else { return plan }
        return maximum > 1 ? ThreadPlan(count: maximum, kind: plan.kind) : ThreadPlan(count: 1, kind: .slice)
    }

    private func plan(_ requested: Int, _ pixelCount: Int, _ hasConversion: Bool) -> ThreadPlan {
        if requested > 0 {
            return ThreadPlan(count: min(requested, ThreadPolicy.maximumThreadCount), kind: .frame)
        }
        guard pixelCount >= ThreadPolicy.smallFramePixelCount else {
            return ThreadPlan(count: 1, kind: .slice)
        }
        let share = max(1, cores / sharing)
        guard share > 1 else { return ThreadPlan(count: 1, kind: .slice) }
        // One a core. One more was measured too. Where frames are only decoded, it decodes no faster, takes a frame's
        // worth of memory more and shows the first frame later. Where each frame is scaled beside it, a pass takes a
        // tenth less.
        return ThreadPlan(
            count: min(share + (hasConversion ? 1 : 0), ThreadPolicy.maximumThreadCount),
            kind: .frame
        )
    }
}
