internal import Glibc
internal import MediaCore

// The evaluation of response headers. A body is accepted only if it is certainly a part of the same representation.
extension HTTPRepresentation {
    /// Decides what to do with a response. Returns nil if its body is accepted, from the position of the request on.
    func evaluate(_ head: ResponseHead, of fetch: Fetch, _ state: inout State) -> Fetch.ResponseAction? {
        guard let range = state.scheduler[fetch.id] else { return nil }
        switch head.status {
        case 206: return evaluatePartialContent(head, of: fetch, range, &state)
        case 200: return evaluateFullContent(head, of: fetch, range, &state)
        case 301, 302, 303, 307, 308:
            guard let location = head.location else {
                return .failure(MediaError(.io, "redirect without Location (HTTP \(head.status))"))
            }
            return .redirect(location)
        case 416: return evaluateRangeNotSatisfiable(head, range, &state)
        default: return evaluateErrorStatus(head, of: fetch, state)
        }
    }

    private func evaluatePartialContent(
        _ head: ResponseHead,
        of fetch: Fetch,
        _ request: RangeRequest,
        _ state: inout State
    ) -> Fetch.ResponseAction? {
        guard let range = head.contentRange, let first = range.first, let last = range.last,
            !request.isSequential
        else {
            return .retry(
                MediaError(.io, "partial response without a valid Content-Range (HTTP 206)"),
                after: nil
            )
        }
        guard head.isPlain else { return .failure(contentCodingError(head)) }
        if let error = changeError(head, size: range.total, state.metadata) { return .failure(error) }
        guard first == request.position else {
            let message =
                "wrong range in response (HTTP 206): requested from byte \(request.position), received from byte \(first)"
            return .retry(MediaError(.io, message), after: nil)
        }
        // Some servers send the whole file, or another part, under the requested range.
        if let length = head.contentLength, length != last - first + 1 {
            let message = "Content-Length \(length) contradicts Content-Range \(first)-\(last) (HTTP 206)"
            return .retry(MediaError(.io, message), after: nil)
        }
        updateMetadata(head, size: range.total, &state)
        state.metadata.supportsRanges = true
        state.address = fetch.address
        state.scheduler.acceptPart(fetch.id, before: last + 1)
        return nil
    }

    private func evaluateFullContent(
        _ head: ResponseHead,
        of fetch: Fetch,
        _ request: RangeRequest,
        _ state: inout State
    ) -> Fetch.ResponseAction? {
        guard head.isPlain else { return .failure(contentCodingError(head)) }
        let hasValidator = hasValidator(head, of: state.metadata)
        if let error = changeError(head, size: head.contentLength, state.metadata) {
            // Without the validator, another length may be that of a page of a gateway.
            return hasValidator ? .failure(error) : .retry(error, after: nil)
        }
        // The length is equal if both are known.
        guard hasValidator || head.contentLength != nil && state.metadata.byteCount != nil else {
            return .retry(
                MediaError(.io, "response without the validator and the length of the resource (HTTP 200)"),
                after: nil
            )
        }
        if !state.metadata.isKnown {
            state.metadata.isLiveStream = head.isBroadcast && head.contentLength == nil && !head.acceptsRanges
            state.metadata.mediaType = head.mediaType
        }
        updateMetadata(head, size: head.contentLength, &state)
        state.address = fetch.address
        // The stream continues. The demuxer finds the next frame in it.
        if state.metadata.isLiveStream, request.isSequential, request.position > 0 { return nil }
        if request.position > 0, !state.metadata.canRestart {
            return .failure(
                MediaError(
                    .notSeekable,
                    "the server does not support range requests: its bytes can only be read once, in order"
                )
            )
        }
        // A server may answer 200 to a range that begins at the first byte and still support ranges.
        if !(head.acceptsRanges && request.position == 0 && !request.isSequential) {
            state.metadata.supportsRanges = false
        }
        // A server that declares no length now may have declared it before. Bytes after that end are not read.
        state.scheduler.acceptWhole(fetch.id, state.metadata.byteCount)
        // The body is empty.
        if head.contentLength == 0 { return .atEnd }
        return nil
    }

    private func evaluateRangeNotSatisfiable(
        _ head: ResponseHead,
        _ request: RangeRequest,
        _ state: inout State
    ) -> Fetch.ResponseAction {
        let total = head.contentRange?.total
        if let error = changeError(head, size: total, state.metadata) { return .failure(error) }
        if let size = total ?? state.metadata.byteCount ?? (request.position == 0 ? 0 : nil),
            request.position >= size
        {
            state.metadata.byteCount = size
            state.metadata.isKnown = true
            state.validationTime = loop.now
            return .atEnd
        }
        if total == nil, state.metadata.byteCount == nil {
            state.metadata.byteCount = request.position
            return .atEnd
        }
        return .failure(
            MediaError(.io, "range not satisfiable, although the resource contains it (HTTP 416)")
        )
    }

    private func evaluateErrorStatus(_ head: ResponseHead, of fetch: Fetch, _ state: State)
        -> Fetch.ResponseAction
    {
        let status = head.status
        // The stream of an Icecast server is not found while its encoder is not connected.
        if status == 404, state.metadata.isLiveStream { return .retry(statusError(status), after: nil) }
        // The target of an earlier redirect may have expired. A replacement may have the same URL, as after another login.
        if Self.mayHaveExpired(status), fetch.address != state.baseAddress || fetch.predatesReplacement {
            return .retry(statusError(status), after: 0)
        }
        switch status {
        case 408, 425, 429, 500..<600: return .retry(statusError(status), after: retryDelay(head))
        default: return .failure(statusError(status))
        }
    }

    /// Returns true for the status codes with which servers reject expired URLs.
    static func mayHaveExpired(_ status: Int) -> Bool { [401, 403, 404, 410].contains(status) }

    private func statusError(_ status: Int) -> MediaError {
        let (code, message): (MediaError.Code, String) =
            switch status {
            case 401: (.permissionDenied, "authentication required")
            case 403: (.permissionDenied, "access forbidden")
            case 404, 410: (.notFound, "not found")
            case 407: (.permissionDenied, "proxy authentication required")
            case 408: (.timedOut, "request timeout")
            case 429: (.io, "too many requests")
            case 503: (.io, "service unavailable")
            case 500..<600: (.io, "server error")
            default: (.io, "unexpected response status")
            }
        return MediaError(code, "\(message) (HTTP \(status))", underlyingCode: Int32(clamping: status))
    }

    private func contentCodingError(_ head: ResponseHead) -> MediaError {
        let coding = head.contentEncoding.map { String($0.prefix(32)) } ?? ""
        return MediaError(
            .io,
            "unsupported Content-Encoding \(coding): the request accepts only identity"
        )
    }

    /// Returns an error if the response describes another representation than before, or nil if it may be the same
    /// one.
    private func changeError(_ head: ResponseHead, size: Int64?, _ metadata: ResourceMetadata) -> MediaError?
    {
        let tags = [head.entityTag, metadata.entityTag].map { $0.map(ResponseHead.opaqueTag) }
        // Dates decide unless both responses have tags, because servers may report different dates for one tag.
        let isOther =
            areDifferent(size, metadata.byteCount) || areDifferent(tags[0], tags[1])
            || tags.contains(nil) && areDifferent(head.lastModified, metadata.lastModified)
        // The validators of a live stream change with its bytes, and it has no length.
        guard metadata.isLiveStream ? size != nil : isOther else { return nil }
        return MediaError(.resourceChanged, "the resource has changed on the server since it was opened")
    }

    /// Returns false if the resource has a validator, and the response has none that could be compared with it.
    private func hasValidator(_ head: ResponseHead, of metadata: ResourceMetadata) -> Bool {
        let isExpected = metadata.entityTag != nil || metadata.lastModified != nil
        guard isExpected, !metadata.isLiveStream else { return true }
        return metadata.entityTag != nil && head.entityTag != nil
            || metadata.lastModified != nil && head.lastModified != nil
    }

    private func areDifferent<Value: Equatable>(_ one: Value?, _ other: Value?) -> Bool {
        guard let one, let other else { return false }
        return one != other
    }

    /// Adds what the headers say to the metadata.
    private func updateMetadata(_ head: ResponseHead, size: Int64?, _ state: inout State) {
        if !state.metadata.isKnown, head.entityTag == nil { state.metadata.isDateWeak = isDateWeak(head) }
        if head.noStore { state.metadata.noStore = true }
        state.metadata.byteCount = state.metadata.byteCount ?? size
        state.metadata.entityTag = state.metadata.entityTag ?? head.entityTag
        state.metadata.lastModified = state.metadata.lastModified ?? head.lastModified
        state.metadata.validator = state.metadata.validator ?? head.validator
        state.metadata.isKnown = true
        state.validationTime = loop.now
        if size != nil { state.metadata.declaresByteCount = true }
    }

    /// Returns the delay of `Retry-After` in nanoseconds. The field has a number of seconds or a date, which is compared
    /// with the server's own clock if the response has its date.
    private func retryDelay(_ head: ResponseHead) -> Int64? {
        guard let text = head.retryAfter else { return nil }
        if let seconds = Int64(text) { return max(0, min(seconds, 86_400)) * 1_000_000_000 }
        guard let date = HTTPDate.seconds(text) else { return nil }
        let answered = head.date.flatMap(HTTPDate.seconds) ?? Int64(time(nil))
        return max(0, min(date - answered, 86_400)) * 1_000_000_000
    }

    /// Returns true if the resource was modified within the second before the response: dates have a resolution of
    /// one second. A date that cannot be parsed may be such a one.
    private func isDateWeak(_ head: ResponseHead) -> Bool {
        guard let lastModified = head.lastModified, let date = head.date else { return false }
        guard let changed = HTTPDate.seconds(lastModified), let answered = HTTPDate.seconds(date) else {
            return true
        }
        return answered - changed < 1
    }
}
