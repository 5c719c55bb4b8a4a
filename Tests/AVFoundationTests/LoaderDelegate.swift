import AVFoundation
import MediaCore
import Testing

/// A delegate that has a file and answers requests late, in pieces and out of order, chosen from a seed.
final class LoaderDelegate: NSObject, AVAssetResourceLoaderDelegate, @unchecked Sendable {
    enum Behavior {
        case pieces
        /// Bytes before the first `limit` ones only.
        case withholds(from: Int)
        case fails(any Error)
        case refuses
        case withoutRanges
        /// All bytes up to the end of the resource in answer to each request.
        case surplus
    }

    private struct State {
        var random: SplitMix64
        var behavior: Behavior
        var pending: [AVAssetResourceLoadingRequest] = []
        var log: [String] = []
        var largestCount = 0
        var deliveredByteCount = 0
        var waiters: [(condition: @Sendable ([String]) -> Bool, resume: @Sendable () -> Void)] = []
    }

    let queue = DispatchQueue(label: "delegate")
    let data: Data
    private let state: Locked<State>

    init(_ data: Data, seed: UInt64 = 1, _ behavior: Behavior = .pieces) {
        self.data = data
        state = Locked(State(random: SplitMix64(seed), behavior: behavior))
    }

    var log: [String] { state.withLock { $0.log } }
    /// The largest number of requests at the same time.
    var largestCount: Int { state.withLock { $0.largestCount } }
    var pending: [AVAssetResourceLoadingRequest] { state.withLock { $0.pending } }

    func set(_ behavior: Behavior) {
        state.withLock { $0.behavior = behavior }
        queue.async { self.deliver() }
    }

    /// Returns once a condition on the log holds.
    func until(_ condition: @escaping @Sendable ([String]) -> Bool) async {
        await withCheckedContinuation { continuation in
            let holds = state.withLock { state in
                if condition(state.log) { return true }
                state.waiters.append((condition, { continuation.resume() }))
                return false
            }
            if holds { continuation.resume() }
        }
    }

    private func add(_ line: String) {
        let resumed = state.withLock { state in
            state.log.append(line)
            let log = state.log
            let resumed = state.waiters.filter { $0.condition(log) }
            state.waiters.removeAll { $0.condition(log) }
            return resumed
        }
        for waiter in resumed { waiter.resume() }
    }

    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForLoadingOfRequestedResource request: AVAssetResourceLoadingRequest
    ) -> Bool {
        dispatchPrecondition(condition: .onQueue(queue))
        let behavior = state.withLock { $0.behavior }
        if case .refuses = behavior { return false }
        if case .fails(let error) = behavior {
            request.finishLoading(with: error)
            return true
        }
        if let information = request.contentInformationRequest {
            information.contentType = "public.mpeg-4"
            information.contentLength = Int64(data.count)
            information.isByteRangeAccessSupported = true
            if case .withoutRanges = behavior { information.isByteRangeAccessSupported = false }
        }
        let part = request.dataRequest!
        add("\(request.contentInformationRequest == nil ? "load" : "info") \(part.requestedOffset)")
        state.withLock { state in
            state.pending.append(request)
            state.largestCount = max(state.largestCount, state.pending.count)
        }
        queue.async { self.deliver() }
        return true
    }

    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        didCancel request: AVAssetResourceLoadingRequest
    ) {
        dispatchPrecondition(condition: .onQueue(queue))
        #expect(request.isCancelled && request.isFinished)
        state.withLock { $0.pending.removeAll { $0 === request } }
        add("cancel \(request.dataRequest!.requestedOffset)")
    }

    /// Delivers a piece of one of the pending requests, and continues while there are any.
    private func deliver() {
        let chosen = state.withLock { state -> (AVAssetResourceLoadingRequest, Int)? in
            guard !state.pending.isEmpty else { return nil }
            let limit = if case .withholds(let limit) = state.behavior { limit } else { data.count }
            let ready = state.pending.filter { Int($0.dataRequest!.currentOffset) < limit }
            guard let request = ready.randomElement(using: &state.random) else { return nil }
            let part = request.dataRequest!
            let end = min(limit, Int(part.requestedOffset) + min(part.requestedLength, data.count))
            let rest = end - Int(part.currentOffset)
            if case .surplus = state.behavior { return (request, data.count - Int(part.currentOffset)) }
            return (request, min(rest, Int.random(in: 1...20_000, using: &state.random)))
        }
        guard let (request, count) = chosen else { return }
        let part = request.dataRequest!
        let start = Int(part.currentOffset)
        part.respond(with: data[start..<start + count])
        add("response \(part.requestedOffset) to \(part.currentOffset)")
        let end = min(data.count, Int(part.requestedOffset) + min(part.requestedLength, data.count))
        if Int(part.currentOffset) >= end {
            state.withLock { $0.pending.removeAll { $0 === request } }
            request.finishLoading()
            request.finishLoading()
        }
        queue.async { self.deliver() }
    }
}
