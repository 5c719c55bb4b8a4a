public import CoreMedia
public import Foundation

/// Metadata of a range of item time, such as a chapter.
///
/// `@unchecked Sendable`: its stored properties are constants of `Sendable` types.
public final class AVTimedMetadataGroup: NSObject, @unchecked Sendable {
    /// The entries.
    public let items: [AVMetadataItem]
    /// The range of item time.
    public let timeRange: CMTimeRange

    /// Creates a group.
    ///
    /// - Parameters:
    ///   - items: The entries.
    ///   - timeRange: The range of item time.
    public init(items: [AVMetadataItem], timeRange: CMTimeRange) {
        self.items = items
        self.timeRange = timeRange
        super.init()
    }
}
