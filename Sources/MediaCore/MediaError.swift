/// An error with a code, a message that a user can act on, and the resource that it concerns.
public struct MediaError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of an error. Codes are stable across versions; messages are not.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// The source is empty.
        case emptyMedia
        /// The container format is unknown to FFmpeg or excluded by policy.
        case unrecognizedFormat
        /// The data ends before the media does.
        case truncated
        /// No data is available yet. The call can be repeated later.
        case notReady
        /// A limit that protects the host is exceeded: pixels, streams or header bytes.
        case exceedsLimits
        /// The asset was opened, but none of its tracks can be played.
        case noPlayableTracks
        /// The file or resource does not exist (ENOENT, HTTP 404).
        case notFound
        /// The system denies the user access (EACCES, HTTP 401 and 403).
        case permissionDenied
        /// A URL scheme or a nested reference is not allowed by policy.
        case forbidden
        /// Reading failed for another reason.
        case io
        /// No response arrived in time. Trying again may succeed.
        case timedOut
        /// The media is encrypted, and no key is available.
        case encrypted
        /// The installed FFmpeg has no decoder for a track.
        case decoderNotFound
        /// A decoder could not be opened, or failed permanently.
        case decoderFailed
        /// The hardware decoder is unavailable or failed. Playback continues with a software decoder.
        case hardwareUnavailable
        /// A packet, or too many packets in a row, could not be decoded.
        case decodeFailed
        /// The source can only be read once, in order.
        case notSeekable
        /// A frame or audio could not be converted to the requested format.
        case conversionFailed
        /// A sink threw an error and was removed.
        case sinkFailed
        /// Memory, file descriptors or threads are exhausted.
        case resourceLimit
        /// An argument is not valid, such as an empty location.
        case invalidArgument
        /// The resource on the server changed after it was opened.
        case resourceChanged
        /// TLS certificate verification failed: the certificate is not trusted, belongs to another host or has
        /// expired.
        case untrustedServer
        /// Playback made no progress for longer than `Player.stuckDetectionLimits` allow: no data arrived, or time
        /// did not advance.
        case stuck
        /// The operation was cancelled, because a load was cancelled or the player was released.
        case cancelled
        /// Any other error; see the message and `underlyingCode`.
        case unknown
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
    /// The last log message of the underlying library, if there is one.
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
