public import FoundationEssentials
import Glibc
public import MediaCore

// The descriptions of errors for Foundation, such as `localizedDescription`. All are in English. The module `Playhead` adds
// the parts of an `NSError`.
extension MediaError.Code {
    /// The code for an `NSError`. It never changes; new codes are appended. 0 for a code of an application.
    public var number: Int { Self.numbers[self] ?? 0 }

    /// The numbers: the codes in the order in which they were added, counted from 1.
    private static let numbers: [Self: Int] = {
        let codes: [Self] = [
            .emptyMedia, .unrecognizedFormat, .truncated, .notReady, .exceedsLimits, .noPlayableTracks,
            .notFound, .permissionDenied, .forbidden, .io, .timedOut, .encrypted, .decoderNotFound,
            .decoderFailed, .decodeFailed, .notSeekable, .conversionFailed, .sinkFailed, .resourceLimit,
            .invalidArgument, .cancelled, .unknown, .hardwareUnavailable, .resourceChanged, .untrustedServer,
            .stuck, .brokenPipe, .diskFull, .maximumFileSizeReached, .unsupportedFormat, .operationNotAllowed,
            .displayUnavailable,
        ]
        return Dictionary(uniqueKeysWithValues: zip(codes, 1...))
    }()

    /// A suggestion for the user, or nil.
    fileprivate var suggestion: String? {
        switch self {
        case .notFound: "Check the name, and whether the file still exists."
        case .permissionDenied: "Grant this user permission to read it."
        case .exceedsLimits: "If you trust the source, raise the limits of the player's decoding policy."
        case .encrypted: "Play a copy that is not encrypted."
        case .decoderNotFound: "Install an FFmpeg build that contains the decoder."
        case .resourceLimit:
            "Close other files or players, or raise the limits of this process, and try again."
        case .truncated: "Get the complete file."
        case .resourceChanged: "Open it again."
        case .diskFull: "Free some space, or choose another disk."
        case .untrustedServer: "If you trust the server, specify the file with its certificate."
        case .notReady, .timedOut, .stuck: Self.tryAgain
        default: nil
        }
    }

    fileprivate func suggestion(isRetryable: Bool) -> String? {
        suggestion ?? (isRetryable ? Self.tryAgain : nil)
    }

    private static let tryAgain = "Try again."
}

extension PlaybackError: LocalizedError {
    /// The description for users: `message`.
    public var errorDescription: String? { message }
    /// The reason without the resource, if the underlying error has one.
    public var failureReason: String? {
        if systemCode != 0 { return String(cString: strerror(systemCode)) }
        return (underlying as? any LocalizedError)?.failureReason
    }
    /// A suggestion for the user, or nil.
    public var recoverySuggestion: String? { code.suggestion(isRetryable: isRetryable) }
}

extension MediaError: LocalizedError {
    /// The description for users: `description`.
    public var errorDescription: String? { description }
    /// The message and the log of the library, without the location.
    public var failureReason: String? { message + (libraryLog.map { " (\($0))" } ?? "") }
    /// A suggestion for the user, or nil.
    public var recoverySuggestion: String? { code.suggestion(isRetryable: isRetryable) }
}
