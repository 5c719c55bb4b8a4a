internal import CFFmpeg
internal import Glibc
internal import MediaCore

/// The number and the kind of a decoder's threads.
struct ThreadPlan: Equatable {
    enum Kind { case frame, slice }
    var count: Int
    var kind: Kind
    /// Whether several frames are decoded at a time.
    var decodesFramesInParallel: Bool { kind == .frame && count > 1 }
}

/// Chooses the number of threads by measured results rather than by the number of cores alone: each frame thread costs
/// the memory of a frame and a frame of latency.
struct ThreadPolicy {
    /// The number of processors that are available to this process.
    var cores: Int
    /// The number of players that are likely to decode at the same time.
    var sharing: Int

    init(cores: Int = ThreadPolicy.availableCores, sharing: Int) {
        self.cores = max(1, cores)
        self.sharing = max(1, sharing)
    }

    static let availableCores: Int = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))

    /// The number of pixels below which one core decodes several streams in real time.
    private static let smallFramePixelCount = 640 * 360
    private static let maximumThreadCount = 16

    /// Returns the threads for a decoder. `maximum` limits their number, unless it is nil; for `hasConversion` see
    /// `DecoderOptions`.
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
        // One thread per core. One more was measured too: with decoding only, it is not faster, takes the memory of
        // another frame and delays the first frame; if each frame is also scaled, a pass takes a tenth less time.
        return ThreadPlan(
            count: min(share + (hasConversion ? 1 : 0), ThreadPolicy.maximumThreadCount),
            kind: .frame
        )
    }
}
