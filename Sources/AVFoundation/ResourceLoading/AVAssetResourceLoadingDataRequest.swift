public import Foundation
import MediaCore

/// The bytes that the delegate of an `AVAssetResourceLoader` is asked for.
///
/// `@unchecked Sendable`: the offset is guarded by its lock; `request` is written once, before the object is shared.
public class AVAssetResourceLoadingDataRequest: NSObject, @unchecked Sendable {
    /// The request that this is a part of.
    weak var request: AVAssetResourceLoadingRequest?
    private let offset: Locked<Int64>

    /// The offset of the first byte.
    public let requestedOffset: Int64
    /// The number of bytes, at most 4 MiB. If `requestsAllDataToEndOfResource` is true and the length of the resource is not
    /// known, it is the greatest number.
    public let requestedLength: Int
    /// A Boolean value that indicates whether all bytes from `requestedOffset` on are needed. It is true only if the
    /// resource cannot deliver parts.
    public let requestsAllDataToEndOfResource: Bool

    init(from offset: Int64, to end: Int64?, isToEnd: Bool) {
        requestedOffset = offset
        requestedLength = end.map { Int(clamping: $0 - offset) } ?? .max
        requestsAllDataToEndOfResource = isToEnd
        self.offset = Locked(offset)
        super.init()
    }

    /// The offset of the next byte to deliver.
    public var currentOffset: Int64 { offset.withLock { $0 } }

    /// Delivers the bytes from `currentOffset` on. It may be called any number of times.
    ///
    /// - Parameter data: The next bytes, which are copied. Bytes that were not requested are ignored.
    public func respond(with data: Data) {
        guard !data.isEmpty else { return }
        offset.withLock { $0 += Int64(data.count) }
        request?.receive(data)
    }
}
