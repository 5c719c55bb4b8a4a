public import Foundation
public import MediaCore
import PlayheadCore

extension PlaybackError: CustomNSError {
    /// The domain of the error as an `NSError`.
    public static var errorDomain: String { "Playhead.PlaybackError" }
    /// The code of the error as an `NSError`; see `MediaError.Code.number`.
    public var errorCode: Int { code.number }
    /// The user info of an `NSError`: the descriptions above, `url` and `underlying`.
    public var errorUserInfo: [String: Any] {
        var info = localizedInfo
        info[NSURLErrorKey] = url
        info[NSUnderlyingErrorKey] = underlying
        return info
    }
}

extension MediaError: CustomNSError {
    /// The domain of the error as an `NSError`.
    public static var errorDomain: String { "Playhead.MediaError" }
    /// The code of the error as an `NSError`; see `MediaError.Code.number`.
    public var errorCode: Int { code.number }
    /// The user info of an `NSError`: its descriptions.
    public var errorUserInfo: [String: Any] { localizedInfo }
}

extension LocalizedError {
    /// The descriptions as user info. On Linux an `NSError` with a domain of its own reads only its `userInfo`.
    fileprivate var localizedInfo: [String: Any] {
        var info: [String: Any] = [:]
        info[NSLocalizedDescriptionKey] = errorDescription
        info[NSLocalizedFailureReasonErrorKey] = failureReason
        info[NSLocalizedRecoverySuggestionErrorKey] = recoverySuggestion
        return info
    }
}
