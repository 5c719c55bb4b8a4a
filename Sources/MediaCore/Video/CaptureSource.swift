/// What is recorded.
public struct CaptureSource: Hashable, Sendable {
    /// Where pictures come from.
    public enum Device: Hashable, Sendable {
        /// A camera by Video4Linux, named by its path: "/dev/video0".
        case camera(String)
        /// FFmpeg's moving test pattern, for where there is no camera.
        case testPattern
    }

    /// Where pictures come from.
    public var device: Device
    /// nil: the camera's own choice, and 640x360 of the test pattern. Another one than a camera has is refused, or it takes
    /// the nearest: what comes is what is recorded.
    public var size: PixelSize?
    /// Frames a second; nil: the camera's own choice, and 30 of the test pattern.
    public var frameRate: Int?

    /// What is left out is the device's own choice.
    public init(_ device: Device, size: PixelSize? = nil, frameRate: Int? = nil) {
        self.device = device
        self.size = size
        self.frameRate = frameRate
    }
}
