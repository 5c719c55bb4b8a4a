internal import MediaCore

/// The events of responses: their headers and their bytes.
extension RangeScheduler {
    /// Records that an attempt of a request begins.
    mutating func attempt(_ id: RequestID) {
        guard let index = index(id) else { return }
        requests[index].isPaused = false
        requests[index].attemptByteCount = 0
        requests[index].hasProgress = false
    }

    /// Records that a server sends the requested range, which ends before `end`.
    mutating func acceptPart(_ id: RequestID, before end: Int64) {
        guard let index = index(id) else { return }
        requests[index].end = min(requests[index].end ?? .max, end)
    }

    /// Records that a server sends the whole resource instead of the requested range.
    mutating func acceptWhole(_ id: RequestID, _ byteCount: Int64?) {
        guard let index = index(id) else { return }
        requests[index].isSequential = true
        requests[index].position = 0
        requests[index].end = byteCount
    }

    /// Pauses a request for the whole resource whose readers are far behind. Returns true if it is paused.
    mutating func mustPause(_ id: RequestID) -> Bool {
        guard let index = index(id), requests[index].isSequential, !isAwaited(requests[index]),
            requests[index].position - requests[index].requestedOffset >= policy.window
        else { return false }
        requests[index].isPaused = true
        return true
    }

    /// Records that a request has received bytes.
    mutating func receive(_ count: Int, _ id: RequestID) -> Reception? {
        guard let index = index(id) else { return nil }
        let start = requests[index].position
        let rest = requests[index].end.map { max(0, $0 - start) } ?? .max
        let end = start + min(Int64(count), rest)
        requests[index].position = end
        requests[index].attemptByteCount += end - start
        let isProgress = end > requests[index].highestPosition
        if isProgress {
            requests[index].highestPosition = end
            requests[index].hasProgress = true
        }
        let woken = wake { start..<end ~= $0 }
        var reception = Reception(
            range: start..<end,
            woken: woken,
            isProgress: isProgress,
            // The remaining bytes are stored already, or belong to another request.
            needsMore: end - start == Int64(count)
        )
        let mustYield = readers.contains { $0.waitingOffset != nil } && isFarAhead(requests[index])
        if reception.needsMore, mustYield || delaysIndex(requests[index]) {
            reception.isStopped = true
            requests.remove(at: index)
        }
        return reception
    }

    mutating func wake(where isAvailable: (Int64) -> Bool) -> [ReaderID] {
        var woken: [ReaderID] = []
        for index in readers.indices {
            guard let offset = readers[index].waitingOffset, isAvailable(offset) else { continue }
            readers[index].waitingOffset = nil
            woken.append(readers[index].id)
        }
        return woken
    }

    func isAwaited(_ request: RangeRequest) -> Bool {
        readers.contains { reader in
            reader.waitingOffset.map { request.covers($0, skipLimit: policy.skipLimit) } ?? false
        }
    }

    /// Returns true if the request is more than `skipLimit` bytes ahead of its reader, and no reader waits for it.
    func isFarAhead(_ request: RangeRequest) -> Bool {
        !isAwaited(request) && request.position - request.requestedOffset > policy.skipLimit
    }

    /// Returns true if the request takes bandwidth from the bytes that a reader waits for, after only the head of the
    /// resource was read from it: an MP4 file whose index is at the end.
    ///
    /// Before the other response arrives, the request uses an idle connection. A small rest is not worth a new request.
    private func delaysIndex(_ request: RangeRequest) -> Bool {
        guard !request.isSequential, request.requestedOffset < Self.headSize, !isAwaited(request) else {
            return false
        }
        return readers.contains { reader in
            guard let offset = reader.waitingOffset else { return false }
            return requests.contains { other in
                other.id != request.id && other.attemptByteCount > 0
                    && other.covers(offset, skipLimit: policy.skipLimit)
                    && (other.end ?? .max) - other.position > Self.headSize / 2
            }
        }
    }

    /// The number of bytes in which the head of a container ends that has its index elsewhere.
    static let headSize: Int64 = 64 << 10
}
