import PlayheadBackend

/// The result of one step of a stage.
package enum StepResult: Hashable, Sendable {
    /// Work was done, and there may be more.
    case progressed
    /// The preceding stage has no output yet.
    case needsInput
    /// The following stage has no capacity.
    case needsSpace
    /// There is no more work until a flush or a new epoch.
    case finished
}
