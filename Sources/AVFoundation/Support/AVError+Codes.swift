extension AVError.Code {
    /// Returns whether an error is an `AVError` with a code, for `catch AVError.operationCancelled`.
    public static func ~= (code: AVError.Code, error: any Error) -> Bool {
        (error as? AVError)?.code == code
    }
}

/// The codes by shorter names, as in `catch AVError.operationCancelled`.
extension AVError {
    /// Any other error.
    public static var unknown: Code { .unknown }
    /// Memory is exhausted.
    public static var outOfMemory: Code { .outOfMemory }
    /// The media services were restarted. It does not occur.
    public static var mediaServicesWereReset: Code { .mediaServicesWereReset }
    /// A packet could not be decoded.
    public static var decodeFailed: Code { .decodeFailed }
    /// The media is not valid.
    public static var invalidSourceMedia: Code { .invalidSourceMedia }
    /// The container format is unknown.
    public static var fileFormatNotRecognized: Code { .fileFormatNotRecognized }
    /// The file could not be parsed.
    public static var fileFailedToParse: Code { .fileFailedToParse }
    /// The media is encrypted.
    public static var contentIsProtected: Code { .contentIsProtected }
    /// There is no picture at the time.
    public static var noImageAtTime: Code { .noImageAtTime }
    /// There is no decoder for a track.
    public static var decoderNotFound: Code { .decoderNotFound }
    /// The operation is not possible with the asset.
    public static var operationNotSupportedForAsset: Code { .operationNotSupportedForAsset }
    /// The decoder is not available at present.
    public static var decoderTemporarilyUnavailable: Code { .decoderTemporarilyUnavailable }
    /// A reference is forbidden.
    public static var referenceForbiddenByReferencePolicy: Code { .referenceForbiddenByReferencePolicy }
    /// Data could not be loaded.
    public static var failedToLoadMediaData: Code { .failedToLoadMediaData }
    /// The server does not behave as required.
    public static var serverIncorrectlyConfigured: Code { .serverIncorrectlyConfigured }
    /// The media could not be parsed.
    public static var failedToParse: Code { .failedToParse }
    /// The media cannot be decoded.
    public static var undecodableMediaData: Code { .undecodableMediaData }
    /// The resource does not exist.
    public static var contentIsUnavailable: Code { .contentIsUnavailable }
    /// The resource has changed.
    public static var noLongerPlayable: Code { .noLongerPlayable }
    /// The operation was cancelled.
    public static var operationCancelled: Code { .operationCancelled }
}
