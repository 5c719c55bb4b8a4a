public import Foundation
import MediaCore
import Playhead

/// One error of an item.
///
/// `@unchecked Sendable`: its stored property is a constant of a `Sendable` type.
public final class AVPlayerItemErrorLogEvent: NSObject, NSCopying, @unchecked Sendable {
    private let event: ErrorLog.Event

    init(_ event: ErrorLog.Event) {
        self.event = event
        super.init()
    }

    /// Returns the entry itself, which is immutable.
    ///
    /// - Parameter zone: Has no effect.
    /// - Returns: The entry.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// The URL that failed, or nil.
    public var uri: String? { event.error.url?.absoluteString }
    /// The code of the error (`AVError.Code`).
    public var errorStatusCode: Int { AVError(event.error).code.rawValue }
    /// `AVFoundationErrorDomain`.
    public var errorDomain: String { AVFoundationErrorDomain }
    /// The description of the error.
    public var errorComment: String? { event.error.message }
    /// Always nil: the value is not known.
    public var date: Date? { nil }
    /// Always nil: the value is not known.
    public var serverAddress: String? { nil }
    /// Always nil: no such number exists.
    public var playbackSessionID: String? { nil }
}
