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
        case notFound
        case permissionDenied
        /// A scheme or nested reference that the policy refuses.
        case forbidden
        /// Reading failed for another reason.
        case io
        case timedOut
        case encrypted
        case decoderNotFound
        case decoderFailed
        /// One packet, or too many of them in a row, could not be decoded.
        case decodeFailed
        case notSeekable
        case conversionFailed
        case sinkFailed
        /// Memory, file descriptors or threads ran out.
        case resourceLimit
        case invalidArgument
        case cancelled
        case unknown
    }

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
        let place = location.map { "\($0): " } ?? ""
        let words = libraryLog.map { " (\($0))" } ?? ""
        return place + message + words
    }
}
