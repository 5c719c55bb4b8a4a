// The names of constants are Apple's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
import MediaCore
package import Playhead

/// The domain of `AVError`.
public let AVFoundationErrorDomain = "AVFoundationErrorDomain"

/// An error of this module. Its user info contains the error of the player's API as `NSUnderlyingErrorKey`.
///
/// An `NSError` of this domain, as in the user info of a notification, is not converted to an `AVError` by `as?`, as it is
/// on Apple's platforms.
public struct AVError: Error, Equatable, Sendable {
    /// The codes, with the numbers of Apple's framework.
    public enum Code: Int, Sendable {
        /// Any other error.
        case unknown = -11800
        /// Memory is exhausted.
        case outOfMemory = -11801
        /// The media services were restarted. It does not occur.
        case mediaServicesWereReset = -11819
        /// A packet could not be decoded.
        case decodeFailed = -11821
        /// The media is not valid.
        case invalidSourceMedia = -11822
        /// The container format is unknown.
        case fileFormatNotRecognized = -11828
        /// The file could not be parsed.
        case fileFailedToParse = -11829
        /// The media is encrypted.
        case contentIsProtected = -11831
        /// There is no picture at the time.
        case noImageAtTime = -11832
        /// There is no decoder for a track.
        case decoderNotFound = -11833
        /// The operation is not possible with the asset.
        case operationNotSupportedForAsset = -11838
        /// The decoder is not available at present.
        case decoderTemporarilyUnavailable = -11839
        /// A reference is forbidden.
        case referenceForbiddenByReferencePolicy = -11842
        /// Data could not be loaded.
        case failedToLoadMediaData = -11849
        /// The server does not behave as required.
        case serverIncorrectlyConfigured = -11850
        /// The media could not be parsed.
        case failedToParse = -11853
        /// The media cannot be decoded.
        case undecodableMediaData = -11855
        /// The resource does not exist.
        case contentIsUnavailable = -11863
        /// The resource has changed.
        case noLongerPlayable = -11867
        /// The operation was cancelled.
        case operationCancelled = -11878
    }

    /// The code.
    public let code: Code
    private let error: PlaybackError

    package init(_ error: PlaybackError) {
        code = Code(error.code)
        self.error = error
    }

    /// The domain, which is `AVFoundationErrorDomain`.
    public static var errorDomain: String { AVFoundationErrorDomain }
    /// The descriptions and the underlying error.
    public var userInfo: [String: Any] { errorUserInfo }
    /// The description for users.
    public var localizedDescription: String { error.message }
}

extension AVError: CustomNSError, LocalizedError {
    /// The number of the code.
    public var errorCode: Int { code.rawValue }
    /// The description for users.
    public var errorDescription: String? { error.message }
    /// The user info of an `NSError`.
    public var errorUserInfo: [String: Any] {
        var info = error.errorUserInfo
        info[NSUnderlyingErrorKey] = error as NSError
        return info
    }
}

extension AVError.Code {
    init(_ code: MediaError.Code) {
        self =
            switch code {
            case .emptyMedia, .truncated, .noPlayableTracks: .invalidSourceMedia
            case .unrecognizedFormat: .fileFormatNotRecognized
            case .notFound: .contentIsUnavailable
            case .permissionDenied, .io, .timedOut, .notReady, .stuck: .failedToLoadMediaData
            case .forbidden: .referenceForbiddenByReferencePolicy
            case .exceedsLimits, .notSeekable, .invalidArgument: .operationNotSupportedForAsset
            case .encrypted: .contentIsProtected
            case .decoderNotFound: .decoderNotFound
            case .decoderFailed, .hardwareUnavailable: .decoderTemporarilyUnavailable
            case .decodeFailed: .decodeFailed
            case .resourceLimit: .outOfMemory
            case .resourceChanged: .noLongerPlayable
            case .untrustedServer: .serverIncorrectlyConfigured
            case .cancelled: .operationCancelled
            default: .unknown
            }
    }
}
