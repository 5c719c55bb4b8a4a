internal import Synchronization

/// Whether any code of this process has ever requested the frames of an item or a player. Most applications never do,
/// and then no listener is looked up for each frame.
enum FrameListeners {
    private static let isUsed = Atomic<Bool>(false)

    /// Records that there may be listeners. Call it before the first one is set.
    static func markUsed() { isUsed.store(true, ordering: .sequentiallyConsistent) }

    static var mayExist: Bool { isUsed.load(ordering: .relaxed) }
}
