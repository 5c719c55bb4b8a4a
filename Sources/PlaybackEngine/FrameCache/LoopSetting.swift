import Synchronization

/// Whether an item loops. The loop sets it, and the item's decoders read it.
final class LoopSetting: Sendable {
    private let isOn = Atomic<Bool>(false)
    var isLooping: Bool { isOn.load(ordering: .relaxed) }
    func set(_ isLooping: Bool) { isOn.store(isLooping, ordering: .relaxed) }

    /// The number of the item's decoders that keep a pass or record one.
    private let cachedPasses = Atomic<Int>(0)
    var cachedPassCount: Int { cachedPasses.load(ordering: .relaxed) }
    func noteCachedPass(isKept: Bool) { cachedPasses.add(isKept ? 1 : -1, ordering: .relaxed) }
}
