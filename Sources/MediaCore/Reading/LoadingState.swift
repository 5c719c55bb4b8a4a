/// The progress of loading a resource, for one of its readers, in bytes.
public struct LoadingState: Hashable, Sendable {
    /// The number of bytes of the resource received so far, for all readers together. Its rate of growth is the
    /// throughput.
    public var receivedBytes: Int64
    /// The number of bytes that are still missing between the reader's offset and the end.
    public var missingBytes: Int64

    /// Creates a state. Both numbers are counted by the source.
    ///
    /// - Parameters:
    ///   - receivedBytes: The number of bytes received so far.
    ///   - missingBytes: The number of bytes missing between the reader's offset and the end.
    public init(receivedBytes: Int64, missingBytes: Int64) {
        self.receivedBytes = receivedBytes
        self.missingBytes = missingBytes
    }
}
