import PlayheadBackend
import Synchronization

/// One part of the way from bytes to sinks. A step never waits, except for a read inside the demuxer.
package protocol Stage: AnyObject, Sendable {
    func step() -> StepResult
}
