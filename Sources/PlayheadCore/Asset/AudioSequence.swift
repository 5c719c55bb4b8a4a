public import MediaCore

/// The decoded audio of an asset, read without a player; see `Asset.audio(format:in:)`.
///
/// Each iterator opens the asset by itself, so several of them are independent. Nothing is opened before the first
/// call of `next()`. No call blocks a thread.
public struct AudioSequence: AsyncSequence, Sendable {
    /// The elements of the sequence.
    public typealias Element = AudioBuffer
    /// The errors of the sequence.
    public typealias Failure = PlaybackError

    private let asset: Asset
    private let begin: @Sendable () -> ReaderStart<AudioBuffer>

    init(_ asset: Asset, _ begin: @escaping @Sendable () -> ReaderStart<AudioBuffer>) {
        self.asset = asset
        self.begin = begin
    }

    /// Returns an iterator that begins with the first buffer.
    public func makeAsyncIterator() -> Iterator { Iterator(inner: ReaderIterator(asset, begin)) }

    /// The iterator of the sequence. Releasing it releases the decoder and cancels what is being read.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var inner: ReaderIterator<AudioBuffer>

        /// Returns the next buffer, or nil after the last one.
        ///
        /// - Throws: `PlaybackError` if the asset cannot be opened, read, decoded or converted, or with the code
        ///   `.cancelled` if the task is cancelled. The sequence ends after an error.
        public mutating func next() async throws(PlaybackError) -> AudioBuffer? { try await inner.next() }

        /// Returns the next buffer, or nil after the last one.
        ///
        /// - Parameter actor: The actor that the call is isolated to.
        /// - Throws: `PlaybackError`; see `next()`.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(PlaybackError) -> AudioBuffer? {
            try await inner.next()
        }
    }
}
