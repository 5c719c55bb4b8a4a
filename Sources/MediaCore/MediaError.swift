internal import Glibc

/// An error of a byte source, demuxer or decoder, with a code, a message that a user can act on, and the resource that it
/// concerns.
///
/// The type is for authors of these. An application receives a `PlaybackError`, whose `underlying` error may be one of this
/// type.
public struct MediaError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of an error. Codes are stable across versions; messages are not.
    ///
    /// A later version may add codes, so a `switch` over a code needs a default.
    public struct Code: RawRepresentable, Hashable, Sendable, CaseIterable, CustomStringConvertible {
        /// The name of the code, such as "notFound".
        public let rawValue: String
        /// Creates a code with a name: one of those below, or a code of an application's own `ByteSource` or sink.
        ///
        /// - Parameter rawValue: The name of the code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The source is empty.
        public static let emptyMedia = Code(rawValue: "emptyMedia")
        /// The container format is unknown to FFmpeg or excluded by policy.
        public static let unrecognizedFormat = Code(rawValue: "unrecognizedFormat")
        /// The data ends before the media does.
        public static let truncated = Code(rawValue: "truncated")
        /// No data is available yet. The call can be repeated later.
        public static let notReady = Code(rawValue: "notReady")
        /// A limit that protects the host is exceeded: pixels, streams or header bytes.
        public static let exceedsLimits = Code(rawValue: "exceedsLimits")
        /// The asset was opened, but none of its tracks can be played.
        public static let noPlayableTracks = Code(rawValue: "noPlayableTracks")
        /// The file or resource does not exist (ENOENT, HTTP 404 and 410).
        public static let notFound = Code(rawValue: "notFound")
        /// The system denies the user access (EACCES, HTTP 401, 403 and 407).
        public static let permissionDenied = Code(rawValue: "permissionDenied")
        /// A URL scheme or a nested reference is not allowed by policy.
        public static let forbidden = Code(rawValue: "forbidden")
        /// Reading failed for another reason.
        public static let io = Code(rawValue: "io")
        /// No response arrived in time. Trying again may succeed.
        public static let timedOut = Code(rawValue: "timedOut")
        /// The media is encrypted, and no key is available.
        public static let encrypted = Code(rawValue: "encrypted")
        /// The installed FFmpeg has no decoder for a track.
        public static let decoderNotFound = Code(rawValue: "decoderNotFound")
        /// A decoder could not be opened, or failed permanently.
        public static let decoderFailed = Code(rawValue: "decoderFailed")
        /// The hardware decoder is unavailable or failed. Playback continues with a software decoder.
        public static let hardwareUnavailable = Code(rawValue: "hardwareUnavailable")
        /// A packet, or too many packets in a row, could not be decoded.
        public static let decodeFailed = Code(rawValue: "decodeFailed")
        /// The source can only be read once, in order.
        public static let notSeekable = Code(rawValue: "notSeekable")
        /// A frame or audio could not be converted to the requested format.
        public static let conversionFailed = Code(rawValue: "conversionFailed")
        /// A sink threw an error and was removed.
        public static let sinkFailed = Code(rawValue: "sinkFailed")
        /// The reader of a pipe or socket is closed (EPIPE). It marks the end of the output rather than a fault, as for
        /// `cat`.
        public static let brokenPipe = Code(rawValue: "brokenPipe")
        /// No space is left for a file, or the user's quota is used up (ENOSPC, EDQUOT).
        public static let diskFull = Code(rawValue: "diskFull")
        /// A file has reached the size limit of its format or of the system, such as 4 GiB for WAV.
        public static let maximumFileSizeReached = Code(rawValue: "maximumFileSizeReached")
        /// A sink or file does not support a format, or a change of format.
        public static let unsupportedFormat = Code(rawValue: "unsupportedFormat")
        /// The state of an object does not allow the call, such as a frame before `start` or after `finish`.
        public static let operationNotAllowed = Code(rawValue: "operationNotAllowed")
        /// A window or terminal is not available or cannot be drawn to.
        public static let displayUnavailable = Code(rawValue: "displayUnavailable")
        /// Memory, file descriptors or threads are exhausted.
        public static let resourceLimit = Code(rawValue: "resourceLimit")
        /// An argument is not valid, such as an empty location.
        public static let invalidArgument = Code(rawValue: "invalidArgument")
        /// The resource on the server changed after it was opened.
        public static let resourceChanged = Code(rawValue: "resourceChanged")
        /// TLS certificate verification failed: the certificate is not trusted, belongs to another host or has
        /// expired.
        public static let untrustedServer = Code(rawValue: "untrustedServer")
        /// Playback made no progress for longer than `Player.stuckDetectionLimits` allow: no data arrived, or time
        /// did not advance.
        public static let stuck = Code(rawValue: "stuck")
        /// The operation was cancelled, because a load was cancelled or the player was released.
        public static let cancelled = Code(rawValue: "cancelled")
        /// Any other error; see the message and `underlyingCode`.
        public static let unknown = Code(rawValue: "unknown")

        /// All codes of this version.
        public static let allCases: [Code] = [
            .emptyMedia,
            .unrecognizedFormat,
            .truncated,
            .notReady,
            .exceedsLimits,
            .noPlayableTracks,
            .notFound,
            .permissionDenied,
            .forbidden,
            .io,
            .timedOut,
            .encrypted,
            .decoderNotFound,
            .decoderFailed,
            .hardwareUnavailable,
            .decodeFailed,
            .notSeekable,
            .conversionFailed,
            .sinkFailed,
            .brokenPipe,
            .diskFull,
            .maximumFileSizeReached,
            .unsupportedFormat,
            .operationNotAllowed,
            .displayUnavailable,
            .resourceLimit,
            .invalidArgument,
            .resourceChanged,
            .untrustedServer,
            .stuck,
            .cancelled,
            .unknown,
        ]

        /// The name of the code.
        public var description: String { rawValue }

        /// Creates the code for an `errno`.
        package init(systemCode: Int32) {
            self =
                switch systemCode {
                case ENOENT, ENOTDIR: .notFound
                case EACCES, EPERM, EROFS: .permissionDenied
                case EMFILE, ENFILE, ENOMEM: .resourceLimit
                case EPIPE: .brokenPipe
                case ENOSPC, EDQUOT: .diskFull
                case EFBIG: .maximumFileSizeReached
                default: .io
                }
        }
    }

    /// The kind of failure, for decisions in code.
    public var code: Code
    /// A message without the location, such as "the file is empty".
    public var message: String
    /// The path or URL that failed, without credentials.
    public var location: String?
    /// The `Track.id` of the track that failed, if the failure concerns one track.
    public var track: Int?
    /// The item time of the failure, if known.
    public var time: MediaTime?
    /// The last log message of the underlying library, if there is one. Errors of a decoder that decodes several frames at
    /// a time have none, because it would differ from run to run.
    public var libraryLog: String?
    /// The code of the underlying library or system (AVERROR, errno); 0 if there is none.
    public var underlyingCode: Int32
    /// A Boolean value that indicates whether another attempt may succeed.
    public var isRetryable: Bool

    /// Creates an error. Omitted values are unknown.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - message: A message without the location.
    ///   - location: The path or URL that failed, without credentials.
    ///   - track: The `Track.id` of the track that failed.
    ///   - time: The item time of the failure.
    ///   - libraryLog: The last log message of the underlying library.
    ///   - underlyingCode: The code of the underlying library or system; 0 for none.
    ///   - isRetryable: Whether another attempt may succeed.
    public init(
        _ code: Code,
        _ message: String,
        location: String? = nil,
        track: Int? = nil,
        time: MediaTime? = nil,
        libraryLog: String? = nil,
        underlyingCode: Int32 = 0,
        isRetryable: Bool = false
    ) {
        self.code = code
        self.message = message
        self.location = location
        self.track = track
        self.time = time
        self.libraryLog = libraryLog
        self.underlyingCode = underlyingCode
        self.isRetryable = isRetryable
    }

    /// A text of the form "location: message (library's log message)".
    public var description: String {
        let prefix = location.map { "\(Redaction.location($0)): " } ?? ""
        let log = libraryLog.map { " (\($0))" } ?? ""
        return prefix + message + log
    }
}
