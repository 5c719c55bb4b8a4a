public import Foundation
public import MediaCore

/// What failed, on what, and why, in words a user can act on. Never a bare code.
public struct PlaybackError: Error, Sendable, CustomStringConvertible {
    /// A closed vocabulary; stable across versions, unlike the words.
    public typealias Code = MediaError.Code

    /// What kind of failure it is; to decide by.
    public var code: Code
    /// A whole sentence that names the file and the reason.
    public var message: String
    /// What failed, without credentials; nil where it was no file, such as a sink.
    public var url: URL?
    /// The track to blame, where there is one.
    public var track: Int?
    /// Item time, where it is known.
    public var time: MediaTime?
    /// Whether trying the same again could help.
    public var isRetryable: Bool
    /// The error below this one, with the library's own words and code (`MediaError`), or what a sink threw.
    public var underlying: (any Error)?

    /// `message` is a whole sentence that names the file and the reason. For tests and for code that stands
    /// in for a player.
    public init(
        code: Code,
        message: String,
        url: URL? = nil,
        isRetryable: Bool = false,
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.url = url
        self.isRetryable = isRetryable
        self.underlying = underlying
    }

    package init(_ error: MediaError, url: URL?) {
        code = error.code
        let place = url.map(Self.name) ?? error.location
        let words = error.libraryLog.map { " (\($0))" } ?? ""
        message = (place.map { "\($0): " } ?? "") + error.message + words
        self.url = url.map(Self.withoutCredentials)
        track = error.track
        time = error.time
        isRetryable = error.isRetryable
        underlying = error
    }

    /// Without credentials: what is written to a log may be read by others.
    private static func name(_ url: URL) -> String {
        url.isFileURL ? url.path : withoutCredentials(url).absoluteString
    }

    private static func withoutCredentials(_ url: URL) -> URL {
        guard url.user != nil || url.password != nil,
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
        else { return url }
        parts.user = nil
        parts.password = nil
        return parts.url ?? URL(fileURLWithPath: url.path)
    }

    public var description: String { message }
}
