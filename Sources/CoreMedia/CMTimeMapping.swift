// The names are those of the C functions and constants.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// A part of a media's time and the part of a track's time at which it is presented.
public struct CMTimeMapping: Hashable, Sendable, BitwiseCopyable {
    /// The range of media time. A range with an invalid start is an empty edit.
    public var source: CMTimeRange
    /// The range of track time.
    public var target: CMTimeRange

    /// Creates an invalid mapping.
    public init() { self.init(source: .invalid, target: .invalid) }

    /// Creates a mapping.
    ///
    /// - Parameters:
    ///   - source: The range of media time.
    ///   - target: The range of track time.
    public init(source: CMTimeRange, target: CMTimeRange) {
        self.source = source
        self.target = target
    }

    /// A mapping that is not valid.
    public static let invalid = CMTimeMapping()
    /// A Boolean value that indicates whether the target is valid.
    public var isValid: Bool { target.isValid }
    /// A Boolean value that indicates whether nothing is presented: the start of the source is not numeric.
    public var isEmpty: Bool { !source.start.isNumeric }
}

/// Creates a mapping.
///
/// - Parameters:
///   - source: The range of media time.
///   - target: The range of track time.
/// - Returns: The mapping.
public func CMTimeMappingMake(source: CMTimeRange, target: CMTimeRange) -> CMTimeMapping {
    CMTimeMapping(source: source, target: target)
}

/// Creates a mapping that presents nothing.
///
/// - Parameter target: The range of track time.
/// - Returns: The mapping.
public func CMTimeMappingMakeEmpty(target: CMTimeRange) -> CMTimeMapping {
    CMTimeMapping(source: .invalid, target: target)
}
