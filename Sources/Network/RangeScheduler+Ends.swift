internal import MediaCore

/// The ends of requests: they are complete, are repeated or have failed.
extension RangeScheduler {
    /// Removes a complete request. Returns the readers whose byte is after the end of the resource.
    mutating func finish(_ id: RequestID, _ metadata: HTTPRepresentation.ResourceMetadata) -> [ReaderID] {
        requests.removeAll { $0.id == id }
        return wake { offset in metadata.byteCount.map { offset >= $0 } ?? false }
    }

    /// Requests the bytes ahead of the readers that do not wait.
    mutating func fetchAhead(_ stored: StoredRanges, _ metadata: HTTPRepresentation.ResourceMetadata)
        -> [Command]
    {
        readers.indices.flatMap { index in
            readers[index].waitingOffset == nil ? fetchAhead(index, stored, metadata) : []
        }
    }

    /// Ends all waits. Returns the readers that waited.
    mutating func wakeAll() -> [ReaderID] { wake { _ in true } }

    /// Decides whether a request is repeated.
    ///
    /// - Parameters:
    ///   - id: The request whose attempt has failed.
    ///   - delay: The delay that the server requests, or nil.
    ///   - isTooSlow: Whether the server sent too few bytes.
    ///   - limit: If the server could not be reached: how long it is tried again. If nil, the number of attempts is
    ///     limited.
    ///   - metadata: The known metadata of the resource.
    mutating func retry(
        _ id: RequestID,
        after delay: Int64?,
        isTooSlow: Bool,
        unreachableLimit limit: Int64? = nil,
        _ metadata: HTTPRepresentation.ResourceMetadata
    ) -> Retry {
        guard let index = index(id) else { return .never }
        var request = requests[index]
        // A live stream that ends at once each time would otherwise be requested continuously.
        let isMoving = request.attemptByteCount >= Self.immediateRetryThreshold && !metadata.isLiveStream
        let pause: Int64
        if let limit {
            pause = request.beginUnreachablePause(policy.initialRetryDelay, limit)
            guard pause > 0 else { return .never }
        } else {
            // After progress the server gets all attempts again.
            request.attempts = request.hasProgress && !isTooSlow ? 0 : request.attempts + 1
            request.unreachable = RangeRequest.Unreachable()
            guard request.attempts < policy.attemptLimit, delay ?? 0 <= policy.maximumRetryAfter else {
                return .never
            }
            pause =
                delay ?? (isMoving ? 0 : policy.initialRetryDelay << Int64(max(0, request.attempts - 1)))
        }
        if request.isSequential, request.position > 0, !metadata.isLiveStream {
            if metadata.supportsRanges != false {
                let end = min(request.end ?? .max, request.position + policy.window)
                request.end = limitOverlap(at: request.position, end)
                request.isSequential = false
            } else if metadata.canRestart {
                request.position = 0
            } else {
                return .never
            }
        }
        requests[index] = request
        return .after(pause)
    }

    /// The number of received bytes after which an interrupted connection is replaced without a delay.
    private static let immediateRetryThreshold: Int64 = 16 << 10

    /// Gives a request all attempts again, because its URL was replaced.
    mutating func resetAttempts(_ id: RequestID) {
        if let index = index(id) { requests[index].attempts = 0 }
    }

    /// Removes a request that has failed. Returns the readers that wait for it.
    mutating func fail(_ id: RequestID) -> [ReaderID] {
        guard let index = index(id) else { return [] }
        let request = requests.remove(at: index)
        failedReadAheadOffset = request.position
        return readers.filter { reader in
            reader.waitingOffset.map { request.covers($0, skipLimit: policy.skipLimit) } ?? false
        }.map(\.id)
    }
}
