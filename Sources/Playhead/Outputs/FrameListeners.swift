internal import Synchronization

/// Whether anybody in this process has ever asked for the frames of an item or a player.
///
/// Most never do: then nobody is looked for with each frame.
enum FrameListeners {
    private static let areKnown = Atomic<Bool>(false)

    /// Before the first one is set.
    static func expect() { areKnown.store(true, ordering: .sequentiallyConsistent) }

    static var mayExist: Bool { areKnown.load(ordering: .relaxed) }
}
