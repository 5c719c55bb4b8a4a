package import MediaCore

// The loading progress, for the decision when playback can start.
extension HTTPRepresentation {
    /// Returns the loading progress for a reader.
    ///
    /// - Parameter context: The reader.
    /// - Returns: The progress, or nil before the first read of the reader and if the length is unknown.
    package func loadingState(for context: ReadContext) -> LoadingState? {
        state.withLock { state in
            guard let size = state.metadata.byteCount,
                let reader = state.scheduler[ObjectIdentifier(context)],
                state.readers[reader.id]?.context === context
            else { return nil }
            return LoadingState(
                receivedBytes: state.receivedBytes,
                missingBytes: state.storedRanges.missingByteCount(
                    from: reader.lowestOffset,
                    to: size,
                    step: policy.window
                )
            )
        }
    }

    /// The number of bytes received for all readers.
    package var receivedBytes: Int64 { state.withLock { $0.receivedBytes } }
}
