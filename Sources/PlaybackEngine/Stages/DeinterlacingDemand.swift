import Synchronization

/// Whether a layer of the player deinterlaces. The loop sets it, and the decode stages of its items read it.
final class DeinterlacingDemand: Sendable {
    private let isOn = Atomic<Bool>(false)
    var isActive: Bool { isOn.load(ordering: .relaxed) }
    func set(_ isActive: Bool) { isOn.store(isActive, ordering: .relaxed) }
}
