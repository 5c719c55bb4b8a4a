/// Which device decodes video. Where none can, or one gives up, the processor decodes, and no frame is lost.
public enum HardwareDecoding: Hashable, Sendable {
    /// The processor alone; no device is looked for.
    case none
    /// The first device of this machine that decodes the codec. Where there is none, nothing is said of it.
    case automatic
    /// The one that is named: a kind ("vaapi", "nvdec", "v4l2m2m"), a kind and a device ("vaapi:/dev/dri/renderD129",
    /// "nvdec:1"), or a device alone ("/dev/dri/renderD128"). Where it cannot be had, the error log says so once an item.
    case device(String)
}
