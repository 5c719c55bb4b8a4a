public import Foundation

/// The object that needs the bytes of a request.
public final class AVAssetResourceLoadingRequestor: NSObject, Sendable {
    /// False: expired keys are not reported.
    public var providesExpiredSessionReports: Bool { false }
}
