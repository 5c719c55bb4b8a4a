/// The device that decodes video. If it is unavailable or fails, the processor decodes, and no frame is lost.
public enum HardwareDecoding: Hashable, Sendable {
    /// The processor only. No device is searched for.
    case none
    /// The first device of this machine that decodes the codec. If there is none, nothing is reported.
    case automatic
    /// A named device: a kind ("vaapi", "nvdec", "v4l2m2m"), a kind and a device ("vaapi:/dev/dri/renderD129",
    /// "nvdec:1"), or a device only ("/dev/dri/renderD128"). If it is unavailable, each item's error log reports it
    /// once.
    case device(String)
}
