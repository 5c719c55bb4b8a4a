package import MediaCore
package import PlayheadBackend

/// What an output tells the loop about its sinks.
package enum OutputReport: Sendable {
    /// A sink threw and was taken off; it has been finished.
    case sinkFailed(MediaError, any Error)
    /// A frame was not taken because the sinks were still busy with earlier ones.
    case skipped
    /// Whether a sink wants interlaced frames whole is not as it was; see `LayerOutput.deinterlaces`.
    case deinterlacingChanged
    /// Frames stay interlaced, for this reason. Told once.
    case notDeinterlaced(MediaError)
    /// The audio's device has something to tell.
    case device(AudioDeviceNotice)
}

extension LayerOutput {
    /// How a layer wants its frames.
    package struct Fit: Hashable, Sendable {
        /// nil: frames are handed out as the decoder made them; gravity and background mean nothing.
        package let size: PixelSize?
        package let gravity: VideoGravity
        package let background: Color
        package let deinterlacing: Deinterlacing
        package let dynamicRange: DynamicRangePolicy

        package init(
            size: PixelSize? = nil,
            gravity: VideoGravity = .resizeAspect,
            background: Color = .clear,
            deinterlacing: Deinterlacing = .none,
            dynamicRange: DynamicRangePolicy = .matchSource
        ) {
            self.size = size
            self.gravity = size == nil ? .resizeAspect : gravity
            self.background = size == nil ? .clear : background
            self.deinterlacing = deinterlacing
            self.dynamicRange = dynamicRange
        }
    }
}
