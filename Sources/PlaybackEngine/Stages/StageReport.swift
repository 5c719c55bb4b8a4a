package import MediaCore
import PlayheadBackend

/// What the stages tell the loop, beyond filling queues. Called on the stage's lane.
package enum StageReport: Sendable {
    /// A decoder's first frame lies after the wanted one: the container's index is inexact.
    case startedLate(Epoch)
    /// One packet could not be read or decoded; playback goes on.
    case fault(MediaError)
    /// The source has nothing at present and will not say when it has: it must be asked again at a later time.
    case needsPolling(Epoch)
    /// Reading waits for bytes, and goes on by itself when they have come. Told once a wait.
    case waiting(Epoch)
    /// Frames were delivered: of use to a loop that waits for some.
    case delivered
    /// Nothing is read at present, for the bounds are reached: of use to a loop that waits for them.
    case idle
    /// There is something new to look at, whatever the loop waits for.
    case changed
}
