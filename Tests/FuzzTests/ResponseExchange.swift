import MediaCore

@testable import Network

/// A reader that requests the bytes of a resource, and the responses of its server as an input has them.
struct ResponseExchange {
    private final class Reader {}

    private let representation: HTTPRepresentation
    private let reader = Reader()
    private var redirects = 0

    /// The number of bytes that are received of a body at most.
    private static let bodyLimit: Int64 = 100_000

    init() throws(MediaError) {
        representation = try HTTPRepresentation(url: "https://host.test/films/a.mp4?token=1")
    }

    /// Answers one request after another. Returns the rule that was violated, or nil.
    mutating func run(_ text: String) -> String? {
        var head = ResponseHead()
        var offset: Int64 = 0
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).prefix(256) {
            guard line.isEmpty else {
                head.parse(line)
                continue
            }
            if let violation = answer(head, at: offset) { return violation }
            offset = head.contentRange?.last ?? offset
            head = ResponseHead()
        }
        return nil
    }

    private mutating func answer(_ head: ResponseHead, at offset: Int64) -> String? {
        let id = ObjectIdentifier(reader)
        return representation.state.withLock { state -> String? in
            if state.scheduler[id] == nil { state.scheduler.add(id, isKnown: false) }
            state.scheduler.begin(id, aheadLimit: .max)
            state.scheduler.move(id, to: offset, seekCount: 0)
            _ = state.scheduler.wait(id, state.storedRanges, state.metadata)
            guard let request = state.scheduler.requests.last else { return nil }
            let fetch = Fetch(request.id, of: representation, at: state.address, representation.cookies)
            switch representation.evaluate(head, of: fetch, &state) {
            case nil: return receive(head, request.id, &state)
            case .redirect(let location):
                do throws(MediaError) {
                    try representation.policy.follow(location, from: &fetch.address, &redirects)
                    if !fetch.address.isSecure { return "a redirect from https to http" }
                } catch {
                    return error.message.isEmpty ? "an error without a message" : nil
                }
            case .retry(let error, let delay):
                if let delay, delay < 0 { return "a negative delay" }
                if error.message.isEmpty { return "an error without a message" }
                _ = state.scheduler.fail(request.id)
            case .failure(let error):
                if error.message.isEmpty { return "an error without a message" }
                _ = state.scheduler.fail(request.id)
            case .atEnd: _ = state.scheduler.finish(request.id, state.metadata)
            }
            return nil
        }
    }

    private func receive(
        _ head: ResponseHead,
        _ id: RangeScheduler.RequestID,
        _ state: inout HTTPRepresentation.State
    ) -> String? {
        let count = Int(min(head.contentLength ?? Self.bodyLimit, Self.bodyLimit))
        guard !state.scheduler.mustPause(id), let reception = state.scheduler.receive(count, id) else {
            return nil
        }
        if let size = state.metadata.byteCount, reception.range.upperBound > size, !reception.range.isEmpty {
            return "bytes after the end of the resource"
        }
        _ = state.scheduler.finish(id, state.metadata)
        return nil
    }
}
