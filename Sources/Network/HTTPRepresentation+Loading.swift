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
                missingBytes: missing(from: reader.lowestOffset, to: size, state.storedRanges)
            )
        }
    }

    /// The number of bytes received for all readers.
    package var receivedBytes: Int64 { state.withLock { $0.receivedBytes } }

    /// Returns the number of bytes that are neither in memory nor in the cache.
    private func missing(from start: Int64, to size: Int64, _ stored: StoredRanges) -> Int64 {
        var offset = start
        var missing: Int64 = 0
        while offset < size {
            let end = stored.contiguousEnd(from: offset, limit: policy.window)
            if end > offset {
                offset = end
                continue
            }
            guard let next = stored.nextStored(after: offset, limit: Self.maximumGap), next < size else {
                return missing + size - offset
            }
            missing += next - offset
            offset = next
        }
        return missing
    }

    /// Stored bytes after a gap of more than this size are counted as missing. They belong to another part of the
    /// resource.
    private static let maximumGap: Int64 = 64 << 20
}
