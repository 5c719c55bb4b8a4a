internal import MediaCore

/// Asks a server with one conditional request, without reading a body, whether a stored response is still valid (RFC
/// 9111, section 4.3).
final class Revalidation: TransferReceiver {
    /// The result of a revalidation.
    enum Outcome: Sendable {
        /// The stored response is valid.
        case notModified
        /// The representation has changed, or the server answered with an error that the reader should receive.
        case changed
        /// The server cannot be reached, or reports a temporary failure.
        case unreachable
    }

    /// The outcome, and the address that has answered.
    struct Result: Sendable {
        var outcome: Outcome
        /// The target of the redirects.
        var address: HTTPAddress
        /// Whether the URL itself led to a public address.
        var isPublic: Bool
    }

    private struct State {
        var address: HTTPAddress
        /// The number of consecutive redirects.
        var redirects = 0
        var location: String?
        var outcome: Outcome?
        var transfer: Transfer?
        var isOver = false
        /// Whether the URL itself led to a public address.
        var isPublic = false
    }

    private let resource: HTTPResource
    /// The address of the first request.
    private let base: HTTPAddress
    private let policy: HTTPRepresentation.Policy
    private let cookies: CookieStore
    private let identity: CacheIndex.Identity
    private let completion: @Sendable (Result) -> Void
    private let state: Locked<State>

    /// Creates a revalidation. `completion` is called once on any thread, unless the revalidation is cancelled.
    init(
        _ resource: HTTPResource,
        at base: HTTPAddress,
        _ identity: CacheIndex.Identity,
        _ policy: HTTPRepresentation.Policy,
        _ cookies: CookieStore,
        completion: @escaping @Sendable (Result) -> Void
    ) {
        self.resource = resource
        self.base = base
        self.policy = policy
        self.cookies = cookies
        self.identity = identity
        self.completion = completion
        state = Locked(State(address: base))
    }

    /// Sends the request.
    func start() {
        do throws(MediaError) {
            try sendRequest()
        } catch {
            finish(error.code == .invalidArgument ? .changed : .unreachable)
        }
    }

    /// Cancels the request. `completion` is not called any more.
    func cancel() {
        let transfer = state.withLock { state in
            state.isOver = true
            // The transfer retains this object.
            defer { state.transfer = nil }
            return state.transfer
        }
        if let transfer { policy.loop.cancel(transfer) }
    }

    /// Sends the request. Its range is the first byte, so that a server which ignores conditions sends no more.
    private func sendRequest() throws(MediaError) {
        let (address, isPublic) = state.withLock { ($0.address, $0.isPublic) }
        var request = TransferRequest(
            to: address,
            redirectedFrom: base,
            for: resource,
            policy,
            cookies,
            isReferrerPublic: isPublic
        )
        request.range = (0, 0)
        if let tag = identity.entityTag {
            request.headers.append(NetworkOptions.Header(name: "If-None-Match", value: tag))
        } else if let date = identity.lastModified {
            request.headers.append(NetworkOptions.Header(name: "If-Modified-Since", value: date))
        }
        let transfer = Transfer(request, self)
        let isOver = state.withLock { state in
            if !state.isOver { state.transfer = transfer }
            state.location = nil
            return state.isOver
        }
        if !isOver { try policy.loop.start(transfer) }
    }

    private func finish(_ outcome: Outcome) {
        let result = state.withLock { state -> Result? in
            defer { (state.isOver, state.transfer) = (true, nil) }
            guard !state.isOver else { return nil }
            return Result(outcome: outcome, address: state.address, isPublic: state.isPublic)
        }
        if let result { completion(result) }
    }

    // MARK: On the loop's thread

    func received(_ head: ResponseHead, of transfer: Transfer) -> Bool {
        state.withLock { state in
            if state.address == base, transfer.peer?.isPublic(policy.isPublicAddress) == true {
                state.isPublic = true
            }
            switch head.status {
            case 301, 302, 303, 307, 308: state.location = head.location
            case 304: state.outcome = .notModified
            case 200: state.outcome = matches(head, head.contentLength) ? .notModified : .changed
            case 206: state.outcome = matches(head, head.contentRange?.total) ? .notModified : .changed
            case 408, 425, 429, 500..<600: state.outcome = .unreachable
            default: state.outcome = .changed
            }
        }
        return false
    }

    /// Returns true if a response describes the stored representation.
    private func matches(_ head: ResponseHead, _ size: Int64?) -> Bool {
        if let size, size != identity.byteCount { return false }
        if let tag = identity.entityTag {
            return head.entityTag.map(ResponseHead.opaqueTag) == ResponseHead.opaqueTag(tag)
        }
        return head.lastModified == identity.lastModified
    }

    func received(_ bytes: UnsafeRawBufferPointer, of transfer: Transfer) -> BodyDisposition { .stop }

    func ended(_ transfer: Transfer, _ end: TransferEnd) {
        let (outcome, location) = state.withLock { ($0.outcome, $0.location) }
        if let outcome { return finish(outcome) }
        guard let location else {
            switch end.reason {
            case .timedOut, .noHost, .noConnection, .noSocket, .noProxy, .refusedByProxy, .broken, .tooSlow:
                return finish(.unreachable)
            case .complete, .stopped, .untrusted, .headersTooLong, .refused, .privateAddress:
                return finish(.changed)
            }
        }
        do throws(MediaError) {
            try state.withLock { state throws(MediaError) in
                try policy.follow(location, from: &state.address, &state.redirects)
            }
            try sendRequest()
        } catch {
            // The next read repeats the request and reports the error.
            finish(.changed)
        }
    }
}
