public import FoundationEssentials
internal import Glibc

/// An error that says what failed, on which resource and why, in words that help the user.
///
/// Everything that an application calls throws this type: loading, playing, reading frames, encoding images, and the
/// sinks. `MediaError` is for authors of byte sources, demuxers and decoders.
///
/// No part of an error contains credentials, query strings or fragments of URLs, so it may be logged.
public struct PlaybackError: Error, Sendable, CustomStringConvertible {
    /// The kind of a failure. The codes are stable across versions, unlike the messages.
    public typealias Code = MediaError.Code

    /// The kind of the failure.
    public var code: Code
    /// A sentence that names the resource and the reason.
    public var message: String
    /// The file or URL that failed, without credentials, query string and fragment. Nil if no file or URL is concerned,
    /// as in a failure of standard output.
    public var url: URL?
    /// The value of `Track.id` of the track that is concerned, or nil.
    public var track: Int?
    /// The item time of the failure, or nil if it is unknown.
    public var time: MediaTime?
    /// A Boolean value that indicates whether a retry could succeed.
    public var isRetryable: Bool
    /// The underlying error: a `MediaError` with the message and the code of a library, a `POSIXError` with the `errno`
    /// of a file that cannot be written, or the error that a sink threw.
    public var underlying: (any Error)?

    /// Creates an error, for tests and for code that replaces a player.
    ///
    /// - Parameters:
    ///   - code: The kind of the failure.
    ///   - message: A sentence that names the resource and the reason.
    ///   - url: The URL that failed, or nil. Its credentials, query string and fragment are removed.
    ///   - isRetryable: Whether a retry could succeed.
    ///   - underlying: The underlying error, or nil.
    public init(
        code: Code,
        message: String,
        url: URL? = nil,
        isRetryable: Bool = false,
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.url = url.map(Self.withoutSecrets)
        self.isRetryable = isRetryable
        self.underlying = underlying
    }

    /// Creates an error from an error of another module. This is where URLs enter messages, so their secrets are
    /// removed here.
    ///
    /// - Parameters:
    ///   - error: The underlying error.
    ///   - url: The URL of the resource, or nil to use the location of `error`.
    package init(_ error: MediaError, url: URL?) {
        code = error.code
        let location = error.location.map(Redaction.location)
        let name = url.map { $0.isFileURL ? $0.path : Redaction.location($0.absoluteString) } ?? location
        let log = error.libraryLog.map { " (\($0))" } ?? ""
        message = (name.map { "\($0): " } ?? "") + error.message + log
        self.url = url.map(Self.withoutSecrets)
        track = error.track
        time = error.time
        isRetryable = error.isRetryable
        var error = error
        error.location = location
        underlying = error
    }

    /// Creates an error from a failed system call.
    ///
    /// - Parameters:
    ///   - systemCode: The `errno`.
    ///   - code: The kind of the failure, or nil for the one of `errno`.
    ///   - operation: The operation and its object; the system's message follows.
    ///   - url: The URL of the file, or nil.
    package init(systemCode: Int32, code: Code? = nil, _ operation: String, url: URL? = nil) {
        self.init(
            code: code ?? Code(systemCode: systemCode),
            message: "\(operation): \(String(cString: strerror(systemCode)))",
            url: url,
            underlying: POSIXErrorCode(rawValue: systemCode).map { POSIXError($0) }
        )
    }

    /// The `errno` of the underlying error; 0 if no system call failed.
    package var systemCode: Int32 { (underlying as? POSIXError)?.code.rawValue ?? 0 }

    /// Returns the URL without credentials, query string and fragment: an error may be logged as a whole.
    private static func withoutSecrets(_ url: URL) -> URL {
        guard !url.isFileURL else { return url }
        let text = url.absoluteString
        let name = Redaction.location(text)
        return name == text ? url : URL(string: name) ?? URL(fileURLWithPath: url.path)
    }

    /// The textual representation: `message`.
    public var description: String { message }
}
