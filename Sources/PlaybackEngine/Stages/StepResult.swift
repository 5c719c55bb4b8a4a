import PlayheadBackend
import Synchronization

/// What one step of a stage came to.
package enum StepResult: Hashable, Sendable {
    /// Something was done; there may be more.
    case progressed
    /// The stage before has nothing at present.
    case needsInput
    /// The stage behind has no room at present.
    case needsSpace
    /// Nothing more until a flush or a new epoch.
    case finished
}
