/// The reason why a window cannot be opened, or a frame cannot be shown.
public enum WindowError: Error, Hashable, Sendable {
    /// SDL2 is not installed or older than 2.0.12, as the message explains.
    case noLibrary(String)
    /// No display is available, or it does not respond.
    case noDisplay(String)
    /// The display refused an operation.
    case refused(String)
}

extension WindowError: CustomStringConvertible {
    /// A complete message.
    public var description: String {
        switch self {
        case .noLibrary(let reason), .noDisplay(let reason): "cannot open a window: \(reason)"
        case .refused(let reason): "cannot show frames in a window: \(reason)"
        }
    }
}
