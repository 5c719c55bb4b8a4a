public import Foundation
public import MediaCore
public import Sinks

// The words of our errors where Foundation looks for them: `localizedDescription`, and the parts of an `NSError`.
// `MediaCore` needs no Foundation, so that the errors of other modules get them here. Words are in English.

extension MediaError.Code {
    /// The code as an `NSError` has it. Never changes; new codes come behind.
    public var number: Int {
        switch self {
        case .emptyMedia: 1
        case .unrecognizedFormat: 2
        case .truncated: 3
        case .notReady: 4
        case .exceedsLimits: 5
        case .noPlayableTracks: 6
        case .notFound: 7
        case .permissionDenied: 8
        case .forbidden: 9
        case .io: 10
        case .timedOut: 11
        case .encrypted: 12
        case .decoderNotFound: 13
        case .decoderFailed: 14
        case .decodeFailed: 15
        case .notSeekable: 16
        case .conversionFailed: 17
        case .sinkFailed: 18
        case .resourceLimit: 19
        case .invalidArgument: 20
        case .cancelled: 21
        case .unknown: 22
        case .hardwareUnavailable: 23
        case .resourceChanged: 24
        case .untrustedServer: 25
        case .stuck: 26
        }
    }

    /// What somebody who sees the error can do about it; nil where nothing is known to help.
    fileprivate var suggestion: String? {
        switch self {
        case .notFound: "Check the name, and whether the file is still there."
        case .permissionDenied: "Give this user the right to read it."
        case .exceedsLimits:
            "If it comes from somebody whom you trust, raise the limits of the player's decoding."
        case .encrypted: "Play a copy that is not encrypted."
        case .decoderNotFound: "Install an FFmpeg with a decoder for it."
        case .resourceLimit:
            "Close other files or players, or raise the limits of this process, and try again."
        case .truncated: "Get the whole file."
        case .resourceChanged: "Open it again."
        case .untrustedServer: "If the server is yours, name the file with its certificate."
        case .notReady, .timedOut, .stuck: Self.tryAgain
        case .emptyMedia, .unrecognizedFormat, .forbidden, .io, .decoderFailed, .decodeFailed, .notSeekable,
            .noPlayableTracks,
            .conversionFailed, .hardwareUnavailable, .sinkFailed, .invalidArgument, .cancelled, .unknown:
            nil
        }
    }

    fileprivate func suggestion(isRetryable: Bool) -> String? {
        suggestion ?? (isRetryable ? Self.tryAgain : nil)
    }

    private static let tryAgain = "Try again."
}

extension PlaybackError: LocalizedError, CustomNSError {
    public static var errorDomain: String { "Playhead.PlaybackError" }
    public var errorCode: Int { code.number }
    /// `message`.
    public var errorDescription: String? { message }
    /// The reason without the file, where the error below says it.
    public var failureReason: String? { (underlying as? any LocalizedError)?.failureReason }
    public var recoverySuggestion: String? { code.suggestion(isRetryable: isRetryable) }
    /// What an `NSError` has: the words above, `url` and `underlying`.
    public var errorUserInfo: [String: Any] {
        var info = localizedWords
        info[NSURLErrorKey] = url
        info[NSUnderlyingErrorKey] = underlying
        return info
    }
}

extension MediaError: LocalizedError, CustomNSError {
    public static var errorDomain: String { "Playhead.MediaError" }
    public var errorCode: Int { code.number }
    /// `description`.
    public var errorDescription: String? { description }
    /// `message`, and the library's words.
    public var failureReason: String? { message + (libraryLog.map { " (\($0))" } ?? "") }
    public var recoverySuggestion: String? { code.suggestion(isRetryable: isRetryable) }
    public var errorUserInfo: [String: Any] { localizedWords }
}

extension SinkError: LocalizedError, CustomNSError {
    public static var errorDomain: String { "Playhead.SinkError" }
    /// Never changes; new kinds come behind.
    public var errorCode: Int {
        switch self {
        case .closedPipe: 1
        case .system: 2
        case .unsupportedFormat: 3
        case .tooLarge: 4
        case .outOfOrder: 5
        }
    }
    /// `description`.
    public var errorDescription: String? { description }
    /// The system's words where it refused.
    public var failureReason: String? {
        switch self {
        case .closedPipe: "nobody reads it any more"
        case .system(_, _, let code): systemError(code).localizedFailureReason ?? "error \(code)"
        case .unsupportedFormat(let words), .tooLarge(let words), .outOfOrder(let words): words
        }
    }
    /// What an `NSError` has: the words above, the path, and the system's own error.
    public var errorUserInfo: [String: Any] {
        var info = localizedWords
        switch self {
        case .closedPipe(let path), .system(_, let path, _): info[NSFilePathErrorKey] = path
        case .unsupportedFormat, .tooLarge, .outOfOrder: break
        }
        if systemCode != 0 { info[NSUnderlyingErrorKey] = systemError(systemCode) }
        return info
    }

    private func systemError(_ code: Int32) -> NSError {
        NSError(domain: NSPOSIXErrorDomain, code: Int(code))
    }
}

extension LocalizedError {
    /// On Linux an `NSError` with a domain of its own asks its `userInfo` alone.
    fileprivate var localizedWords: [String: Any] {
        var info: [String: Any] = [:]
        info[NSLocalizedDescriptionKey] = errorDescription
        info[NSLocalizedFailureReasonErrorKey] = failureReason
        info[NSLocalizedRecoverySuggestionErrorKey] = recoverySuggestion
        return info
    }
}
