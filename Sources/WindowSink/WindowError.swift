/// Why there is no window, or no picture in it.
public enum WindowError: Error, Hashable, Sendable {
    /// SDL2 is not installed, or is older than 2.0.12; the words say which.
    case noLibrary(String)
    /// No display takes windows, or it does not answer.
    case noDisplay(String)
    /// There is a display, and it refused.
    case refused(String)
}

extension WindowError: CustomStringConvertible {
    /// A whole sentence.
    public var description: String {
        switch self {
        case .noLibrary(let reason), .noDisplay(let reason): "no window can be opened: \(reason)"
        case .refused(let reason): "nothing can be shown in a window: \(reason)"
        }
    }
}
