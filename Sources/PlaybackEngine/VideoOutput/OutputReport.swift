package import MediaCore
package import PlayheadBackend

/// A report of an output to the loop.
package enum OutputReport: Sendable {
    /// A sink has thrown an error. It was finished and removed.
    case sinkFailed(MediaError, any Error)
    /// A frame was skipped because the sinks were busy with earlier frames.
    case skipped
    /// `LayerOutput.deinterlaces` has changed.
    case deinterlacingChanged
    /// Frames are shown interlaced for this reason. It is reported once.
    case notDeinterlaced(MediaError)
    /// Subtitles are not drawn for this reason. It is reported once.
    case subtitlesNotDrawn(MediaError)
    /// A notice of the audio device.
    case device(AudioDeviceNotice)
}
