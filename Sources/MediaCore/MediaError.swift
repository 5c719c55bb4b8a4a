/// What failed, on what, and why, in words a user can act on. Never a bare code.
public struct MediaError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A closed vocabulary; stable across versions, unlike the words.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// The source holds no bytes.
        case emptyMedia
        /// No container that FFmpeg and our policy know.
        case unrecognizedFormat
        /// The data ends before the media does.
        case truncated
        /// Nothing to read at present; asking again later may help.
        case notReady
        /// Larger than a limit that protects the host: pixels, streams, header bytes.
        case exceedsLimits
        /// Opened, but no track in it can be played here.
        case noPlayableTracks
        /// There is nothing by that name.
        case notFound
        /// The system does not let this user read or write it.
        case permissionDenied
        /// A scheme or nested reference that the policy refuses.
        case forbidden
        /// Reading failed for another reason.
        case io
        /// No answer came in time. Trying again may help.
        case timedOut
        /// The media are encrypted, and there is no key for them.
        case encrypted
        /// The FFmpeg that is installed has no decoder for a track.
        case decoderNotFound
        /// A decoder could not be opened, or is of no use any more.
        case decoderFailed
        /// The device that was to decode is not to be had, or gave up: the processor decodes instead.
        case hardwareUnavailable
        /// One packet, or too many of them in a row, could not be decoded.
        case decodeFailed
        /// The bytes can only be read once, in order.
        case notSeekable
        /// A frame or samples could not be brought into the format that was asked for.
        case conversionFailed
        /// A sink threw, and was taken off.
        case sinkFailed
        /// Memory, file descriptors or threads ran out.
        case resourceLimit
        /// The call makes no sense, such as an empty location.
        case invalidArgument
        /// A server holds something else by that name than when it was opened.
        case resourceChanged
        /// The certificate of a server is not trusted, is another host's, or has expired.
        case untrustedServer
        /// Playing got nowhere for longer than it may (`Player.stuckDetectionLimits`): nothing came, or nothing moved.
        case stuck
        /// Nobody wanted it any more: a load was called off, a player let go.
        case cancelled
        /// None of the others: see the words, and `underlyingCode`.
        case unknown
    }

    /// What kind of failure it is; to decide by.
    public var code: Code
    /// A whole sentence without the location, e.g. "the file is empty".
    public var message: String
    /// The path or URL that failed, without credentials.
    public var location: String?
    /// `Track.id`, where one track is to blame.
    public var track: Int?
    /// Item time, where it is known.
    public var time: MediaTime?
    /// The library's own last words about it.
    public var libraryLog: String?
    /// The library's own code (AVERROR, errno); 0 for none.
    public var underlyingCode: Int32
    /// Whether trying the same again could help.
    public var isRetryable: Bool

    /// `message` is a sentence without the location; what is left out is not known.
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

    /// "location: message (library's words)".
    public var description: String {
        let prefix = location.map { "\($0): " } ?? ""
        let log = libraryLog.map { " (\($0))" } ?? ""
        return prefix + message + log
    }
}
