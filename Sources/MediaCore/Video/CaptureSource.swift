/// A source that can be recorded, and the format requested from it.
public struct CaptureSource: Hashable, Sendable {
    /// A device that delivers frames.
    public enum Device: Hashable, Sendable {
        /// A Video4Linux camera, by its path, such as "/dev/video0".
        case camera(String)
        /// FFmpeg's moving test pattern, for machines without a camera.
        case testPattern
    }

    /// The device that delivers the frames.
    public var device: Device
    /// The requested size; nil selects the camera's default, or 640x360 for the test pattern.
    ///
    /// If a camera does not support the size, it refuses or selects the nearest one. The recording has the size that
    /// the camera delivers, rounded down to even numbers.
    public var size: PixelSize?
    /// The requested number of frames per second; nil selects the camera's default, or 30 for the test pattern.
    public var frameRate: Int?

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - device: The device that delivers the frames.
    ///   - size: The requested size; nil for the device's default.
    ///   - frameRate: The requested frames per second; nil for the device's default.
    public init(_ device: Device, size: PixelSize? = nil, frameRate: Int? = nil) {
        self.device = device
        self.size = size
        self.frameRate = frameRate
    }
}
