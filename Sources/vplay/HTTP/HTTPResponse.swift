/// A response, or the head of one whose body follows without a known length.
struct HTTPResponse: Sendable {
    var status = HTTPStatus.ok
    var contentType = "text/plain; charset=utf-8"
    var body: [UInt8] = []
    /// Whether events follow until the connection is closed.
    var isStream = false

    init(_ status: HTTPStatus, _ text: String? = nil) {
        self.status = status
        body = Array((text ?? status.reason).utf8) + [UInt8(ascii: "\n")]
    }

    init(json: JSONValue) {
        contentType = "application/json"
        body = Array(json.text.utf8) + [UInt8(ascii: "\n")]
    }

    init(jpeg: [UInt8]) {
        contentType = "image/jpeg"
        body = jpeg
    }

    /// The head of a stream of events.
    static let eventStream: HTTPResponse = {
        var response = HTTPResponse(.ok)
        response.contentType = "text/event-stream"
        response.body = []
        response.isStream = true
        return response
    }()

    /// Returns the bytes to send.
    func bytes(isHead: Bool, keepsConnection: Bool) -> [UInt8] {
        var lines = [
            "HTTP/1.1 \(status.rawValue) \(status.reason)", "Content-Type: \(contentType)",
            "Cache-Control: no-store", "X-Content-Type-Options: nosniff",
            // Pages of other sites must not embed a frame.
            "Cross-Origin-Resource-Policy: same-origin",
        ]
        if !isStream { lines.append("Content-Length: \(body.count)") }
        if !keepsConnection || isStream { lines.append("Connection: close") }
        if status == .methodNotAllowed { lines.append("Allow: GET, HEAD, POST") }
        if status == .unauthorized { lines.append("WWW-Authenticate: Bearer") }
        if status == .serviceUnavailable { lines.append("Retry-After: 1") }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + (isHead ? [] : body)
    }
}
