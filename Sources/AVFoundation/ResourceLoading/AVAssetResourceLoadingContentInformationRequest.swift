public import Foundation
import MediaCore

/// The facts about a resource that the delegate of an `AVAssetResourceLoader` states.
///
/// `@unchecked Sendable`: `state` is guarded by its lock.
public class AVAssetResourceLoadingContentInformationRequest: NSObject, @unchecked Sendable {
    private struct State {
        var contentType: String?
        var contentLength: Int64 = 0
        var isByteRangeAccessSupported = false
        var isEntireLengthAvailableOnDemand = false
        var renewalDate: Date?
    }
    private let state = Locked(State())

    override init() { super.init() }

    /// The uniform type identifier or the MIME type. It has no effect: the format is detected from the bytes.
    public var contentType: String? {
        get { state.withLock { $0.contentType } }
        set { state.withLock { $0.contentType = newValue } }
    }
    /// The types that are possible; nil, because all are.
    public var allowedContentTypes: [String]? { nil }
    /// The number of bytes of the resource; 0 if it is not known.
    public var contentLength: Int64 {
        get { state.withLock { $0.contentLength } }
        set { state.withLock { $0.contentLength = newValue } }
    }
    /// A Boolean value that indicates whether the delegate delivers parts. If it is false, one request asks for all
    /// bytes from the first one on.
    public var isByteRangeAccessSupported: Bool {
        get { state.withLock { $0.isByteRangeAccessSupported } }
        set { state.withLock { $0.isByteRangeAccessSupported = newValue } }
    }
    /// A Boolean value that indicates whether all bytes are on this machine. If it is true, playback starts with a
    /// small buffer.
    public var isEntireLengthAvailableOnDemand: Bool {
        get { state.withLock { $0.isEntireLengthAvailableOnDemand } }
        set { state.withLock { $0.isEntireLengthAvailableOnDemand = newValue } }
    }
    /// The date after which a content key has to be renewed. It has no effect.
    public var renewalDate: Date? {
        get { state.withLock { $0.renewalDate } }
        set { state.withLock { $0.renewalDate = newValue } }
    }
}
