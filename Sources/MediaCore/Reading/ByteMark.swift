/// The number of bytes of a resource, counted from its start, that playback up to a given time needs.
public struct ByteMark: Hashable, Sendable {
    /// The item time, in nanoseconds.
    public var time: Int64
    /// The number of bytes from the start of the resource.
    public var byteCount: Int64

    /// Creates a mark.
    ///
    /// - Parameters:
    ///   - time: The item time, in nanoseconds.
    ///   - byteCount: The number of bytes from the start of the resource.
    public init(time: Int64, byteCount: Int64) {
        self.time = time
        self.byteCount = byteCount
    }
}
