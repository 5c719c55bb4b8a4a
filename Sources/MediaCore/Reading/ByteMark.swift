/// So many bytes of a resource, counted from its start, must be there to play up to a time.
public struct ByteMark: Hashable, Sendable {
    /// Nanoseconds of item time.
    public var time: Int64
    /// Bytes from the start of the resource.
    public var byteCount: Int64

    /// `time` in nanoseconds of item time.
    public init(time: Int64, byteCount: Int64) {
        self.time = time
        self.byteCount = byteCount
    }
}
