/// How loading of a resource stands for one who reads it, in bytes.
public struct LoadingState: Hashable, Sendable {
    /// All that has come of the resource so far, whoever asked for it. How fast this grows is the throughput.
    public var receivedBytes: Int64
    /// What has not come yet of the part from the reader's place to the end.
    public var missingBytes: Int64

    /// Both counted by the source.
    public init(receivedBytes: Int64, missingBytes: Int64) {
        self.receivedBytes = receivedBytes
        self.missingBytes = missingBytes
    }
}
