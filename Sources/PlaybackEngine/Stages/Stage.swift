import PlayheadBackend

/// One stage of the pipeline from bytes to sinks. A step never waits, except for a read inside the demuxer.
package protocol Stage: AnyObject, Sendable {
    func step() -> StepResult
}
