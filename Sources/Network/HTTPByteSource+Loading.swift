public import MediaCore

// How loading stands, for who decides when to play.
extension HTTPByteSource {
    /// nil until the reader has read, and where the server does not say how much there is.
    public func loadingState(for context: ReadContext) -> LoadingState? {
        state.withLock { state in
            guard let size = state.metadata.byteCount, let reader = state.readers[ObjectIdentifier(context)],
                reader.context === context
            else { return nil }
            return LoadingState(
                receivedBytes: state.receivedBytes,
                missingBytes: missing(from: reader.lowestOffset, to: size, state)
            )
        }
    }

    /// All that has come so far, whoever asked for it.
    package var receivedBytes: Int64 { state.withLock { $0.receivedBytes } }

    /// Bytes that are not there, wherever they are kept.
    private func missing(from start: Int64, to size: Int64, _ state: State) -> Int64 {
        var place = start
        var missing: Int64 = 0
        while place < size {
            let end = contiguousEnd(from: place, state)
            if end > place {
                place = end
                continue
            }
            guard let next = nextStored(after: place, limit: Self.farthestLook, state), next < size else {
                return missing + size - place
            }
            missing += next - place
            place = next
        }
        return missing
    }

    /// What lies further on than this does not count as there: nobody has asked for it for what is played now.
    private static let farthestLook: Int64 = 64 << 20
}
