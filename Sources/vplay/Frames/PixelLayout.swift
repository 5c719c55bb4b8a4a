import PlayheadCore

/// The layout of a pixel format as an array.
struct PixelLayout: Sendable {
    /// The type of a component.
    enum Component: String, Sendable {
        case uint8, uint16, float32

        /// The type's name in a NumPy file.
        var descriptor: String {
            switch self {
            case .uint8: "|u1"
            case .uint16: "<u2"
            case .float32: "<f4"
            }
        }
    }

    let format: PixelFormat
    let component: Component
    /// The number of components of a pixel, or nil if they are not next to each other in memory.
    let channels: Int?

    init(_ format: PixelFormat) {
        self.format = format
        switch format.rawValue {
        case "gray": (component, channels) = (.uint8, 1)
        case "rgb24", "bgr24": (component, channels) = (.uint8, 3)
        case "rgba", "bgra", "argb", "abgr", "rgb0", "bgr0", "0rgb", "0bgr":
            (component, channels) = (.uint8, 4)
        case "gray16le": (component, channels) = (.uint16, 1)
        case "rgb48le", "bgr48le": (component, channels) = (.uint16, 3)
        case "rgba64le", "bgra64le": (component, channels) = (.uint16, 4)
        case "rgbf32": (component, channels) = (.float32, 3)
        default: (component, channels) = (.uint8, nil)
        }
    }
}
