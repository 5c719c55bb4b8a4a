internal import Glibc
public import MediaCore

/// An error of a sink.
public enum SinkError: Error, Hashable, Sendable {
    /// The reader of a pipe or socket is closed (EPIPE). It marks the end of the output rather than a fault, as for
    /// `cat`.
    case closedPipe(path: String)
    /// A system call failed: the operation ("write to"), the path and `errno`.
    case system(operation: String, path: String, code: Int32)
    /// The sink does not support a format, or a change of format.
    case unsupportedFormat(String)
    /// The output has reached the size limit of its file format.
    case tooLarge(String)
    /// A call that the state of the sink does not allow, such as a frame before `start`.
    case outOfOrder(String)
}

extension SinkError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .closedPipe(let path): "\(path): broken pipe (the reader is closed)"
        case .system(let operation, let path, let code): "cannot \(operation) \(path): \(systemMessage(code))"
        case .unsupportedFormat(let message), .tooLarge(let message), .outOfOrder(let message): message
        }
    }

    /// The `errno` of the failure; 0 if no system call failed.
    public var systemCode: Int32 {
        switch self {
        case .closedPipe: EPIPE
        case .system(_, _, let code): code
        case .unsupportedFormat, .tooLarge, .outOfOrder: 0
        }
    }
}

extension MediaError {
    /// Creates an error with the code `.sinkFailed` and the description of a sink's error.
    public init(_ error: SinkError) {
        self.init(.sinkFailed, error.description, underlyingCode: error.systemCode)
    }
}

/// Returns the system's message for an `errno`. May be called on any thread.
private func systemMessage(_ code: Int32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
        guard let start = buffer.baseAddress, strerror_r(code, start, buffer.count) == 0 else {
            return "error \(code)"
        }
        return String(cString: start)
    }
}
