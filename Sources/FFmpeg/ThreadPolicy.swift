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
/// picture's worth of memory and a picture of latency.
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
    private static let smallPicture = 640 * 360
    private static let mostThreads = 16

    func plan(requested: Int, codec: AVCodecID, pixelCount: Int) -> ThreadPlan {
        if requested > 0 { return ThreadPlan(count: min(requested, ThreadPolicy.mostThreads), kind: .frame) }
        guard pixelCount >= ThreadPolicy.smallPicture else { return ThreadPlan(count: 1, kind: .slice) }
        let share = max(1, cores / sharing)
        guard share > 1 else { return ThreadPlan(count: 1, kind: .slice) }
        // Frame threads that wait for each other's rows leave a core idle now and then; measured on 2 cores,
        // one more than there are cores decodes 2 to 7 % faster. dav1d schedules its own and gains nothing.
        let count = sharing == 1 && codec != AV_CODEC_ID_AV1 ? share + 1 : share
        return ThreadPlan(count: min(count, ThreadPolicy.mostThreads), kind: .frame)
    }
}
