internal import Glibc
public import MediaCore

/// Why a sink could not go on, in words.
public enum SinkError: Error, Hashable, Sendable {
    /// The reader of the pipe or socket is gone. To be taken as the end rather than as a fault, as `cat` does.
    case closedPipe(path: String)
    /// The system refused: what was tried ("write to"), on what, and `errno`.
    case system(operation: String, path: String, code: Int32)
    /// The format cannot be written, or not into what was begun in another.
    case unsupportedFormat(String)
    /// The file format's own limit is reached.
    case tooLarge(String)
    /// A call that the sink's state does not allow, such as a frame before `start`.
    case outOfOrder(String)
}

extension SinkError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .closedPipe(let path): "\(path): nobody reads it any more"
        case .system(let operation, let path, let code): "cannot \(operation) \(path): \(systemMessage(code))"
        case .unsupportedFormat(let message), .tooLarge(let message), .outOfOrder(let message): message
        }
    }

    /// `errno`, 0 where the system is not to blame.
    public var systemCode: Int32 {
        switch self {
        case .closedPipe: EPIPE
        case .system(_, _, let code): code
        case .unsupportedFormat, .tooLarge, .outOfOrder: 0
        }
    }
}

extension MediaError {
    /// With the code `.sinkFailed`, and the sink's words.
    public init(_ error: SinkError) {
        self.init(.sinkFailed, error.description, underlyingCode: error.systemCode)
    }
}

/// The system's words for an `errno`, from any thread.
private func systemMessage(_ code: Int32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
        guard let start = buffer.baseAddress, strerror_r(code, start, buffer.count) == 0 else {
            return "error \(code)"
        }
        return String(cString: start)
    }
}
