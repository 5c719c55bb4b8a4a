public import MediaCore

/// The decoded frames of an asset, read without a player; see `Asset.frames(_:pixelFormat:size:gravity:in:)`.
///
/// Each iterator opens the asset by itself, so several of them are independent. Nothing is opened before the first
/// call of `next()`. No call blocks a thread.
public struct FrameSequence: AsyncSequence, Sendable {
    /// The elements of the sequence.
    public typealias Element = VideoFrame
    /// The errors of the sequence.
    public typealias Failure = PlaybackError

    private let asset: Asset
    private let begin: @Sendable () -> ReaderStart<VideoFrame>

    init(_ asset: Asset, _ begin: @escaping @Sendable () -> ReaderStart<VideoFrame>) {
        self.asset = asset
        self.begin = begin
    }

    /// Returns an iterator that begins with the first frame.
    public func makeAsyncIterator() -> Iterator { Iterator(inner: ReaderIterator(asset, begin)) }

    /// The iterator of the sequence. Releasing it releases the decoder and cancels what is being read.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var inner: ReaderIterator<VideoFrame>

        /// Returns the next frame, or nil after the last one.
        ///
        /// - Throws: `PlaybackError` if the asset cannot be opened, read, decoded or converted, or with the code
        ///   `.cancelled` if the task is cancelled. The sequence ends after an error.
        public mutating func next() async throws(PlaybackError) -> VideoFrame? { try await inner.next() }

        /// Returns the next frame, or nil after the last one.
        ///
        /// - Parameter actor: The actor that the call is isolated to.
        /// - Throws: `PlaybackError`; see `next()`.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(PlaybackError) -> VideoFrame? {
            try await inner.next()
        }
    }
}
