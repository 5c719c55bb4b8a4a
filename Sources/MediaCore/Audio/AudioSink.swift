/// A receiver of audio.
///
/// The samples have their final loudness: volume and mute have been applied, and muted audio arrives as silence. The
/// engine calls all methods in order on one queue, never two at a time.
public protocol AudioSink: AnyObject, Sendable {
    /// Prepares the sink for a format. Called before the first buffer, and again whenever the decoder's format
    /// changes.
    ///
    /// - Parameter format: The format of the decoder.
    /// - Returns: The format in which the sink accepts buffers. The engine converts to it.
    /// - Throws: An error if the format is not supported. It finishes the sink and is reported.
    func start(_ format: AudioFormat) throws -> AudioFormat
    /// Receives the next samples. They follow the previous ones without a gap, unless `flush()` was called in
    /// between.
    ///
    /// It is called at most 0.1 s before the samples are due. A sink with a device declares how long before
    /// (`AudioDeviceSink.lead`).
    ///
    /// - Parameter buffer: The samples, in the format that `start(_:)` returned.
    /// - Throws: An error if the samples cannot be written. It finishes the sink and is reported.
    func write(_ buffer: AudioBuffer) throws
    /// Reports that the timeline stopped, or that it continues. Does nothing by default.
    ///
    /// - Parameter isPaused: Whether the timeline is stopped.
    func setPaused(_ isPaused: Bool)
    /// Reports a seek or a new item: samples that were written and not heard yet must not be heard. Does nothing by
    /// default.
    func flush()
    /// Ends the sink. Called exactly once, also after an error. No other call follows.
    func finish()
}

extension AudioSink {
    public func setPaused(_ isPaused: Bool) {}
    public func flush() {}
}
