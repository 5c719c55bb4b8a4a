/// A receiver of frames, which an application adds to a layer.
///
/// The engine calls all methods in order on the sink's own queue, never two at a time. A slow sink delays neither the
/// clock nor other sinks nor other players. In real time, the frames that it cannot accept in time are handled by its
/// `lateFramePolicy`; on the virtual clock, playback waits for it.
public protocol VideoSink: AnyObject, Sendable {
    /// The pixel formats that the sink accepts, in order of preference. If it is empty, the sink receives the
    /// decoder's own format, unchanged and uncopied. Empty by default.
    ///
    /// A frame in another format is converted to the first one; a frame with alpha to the first one with alpha, if
    /// there is one.
    var acceptedPixelFormats: [PixelFormat] { get }
    /// A Boolean value that indicates whether frames arrive upright and with square pixels if the layer has no size;
    /// false by default.
    ///
    /// If it is false, frames arrive as they were decoded: not rotated, with the pixel aspect ratio of the file. If
    /// the layer has a size, frames always arrive upright and with square pixels. The engine reads this value once,
    /// when the sink is added.
    var appliesPreferredTrackTransform: Bool { get }
    /// A Boolean value that indicates whether the selected subtitles are drawn into the frames that the sink receives;
    /// false by default. Set it for a sink that people look at.
    ///
    /// If it is true, frames arrive upright and with square pixels, as with `appliesPreferredTrackTransform`, and the
    /// current frame is presented again when a subtitle appears or disappears while no other frame is due. An output
    /// of subtitles whose `suppressesPlayerRendering` is true prevents drawing. The engine reads this value once, when
    /// the sink is added.
    var rendersSubtitles: Bool { get }
    /// The policy for frames that become due while the sink is busy; `.dropLate` by default. The engine reads this
    /// value once, when the sink is added.
    var lateFramePolicy: LateFramePolicy { get }
    /// Prepares the sink for a format. Called before the first frame, and again whenever the size, pixel format or
    /// colors change.
    ///
    /// - Parameter format: The format of the frames that follow.
    /// - Throws: An error if the format is not supported. It finishes the sink and removes it from its layer.
    func start(_ format: VideoFormat) throws
    /// Receives a frame that is due now. The sink may retain it as long as necessary.
    ///
    /// - Parameter frame: The frame.
    /// - Throws: An error if the frame cannot be presented. It finishes the sink and removes it from its layer.
    ///   Playback continues, and the event `sinkFailed` reports the error.
    func present(_ frame: VideoFrame) throws
    /// Reports a seek or a new item: the frames presented so far are obsolete. Does nothing by default.
    func flush()
    /// Ends the sink. Called exactly once, also after an error. No other call follows.
    func finish()
}

extension VideoSink {
    public var acceptedPixelFormats: [PixelFormat] { [] }
    public var appliesPreferredTrackTransform: Bool { false }
    public var rendersSubtitles: Bool { false }
    public var lateFramePolicy: LateFramePolicy { .dropLate }
    public func flush() {}
}
