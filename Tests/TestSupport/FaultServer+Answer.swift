extension FaultServer {
    /// A response, and the faults to inject while it is sent.
    package struct Answer: Sendable {
        package enum Hang: Hashable, Sendable {
            case beforeHead
            case beforeBody
            /// The response hangs after this number of bytes of the body.
            case inBody(Int)
        }

        package enum End: Hashable, Sendable {
            /// The connection stays open for the next request.
            case keep
            case close
            /// The connection is reset, which discards unsent bytes.
            case reset
        }

        package var status: Int
        /// The protocol in the status line.
        package var version = "HTTP/1.1"
        package var headers: [(name: String, value: String)]
        package var body: [UInt8]
        /// The number of bytes of the body to send, or nil for all.
        package var cut: Int?
        package var hang: Hang?
        package var end = End.keep
        /// Whether the connection ends without a response.
        package var closesWithoutResponse = false
        /// Whether the body is sent with chunked transfer coding, without Content-Length.
        package var isChunked = false
        /// Whether `FaultServer.gate` limits how fast the body is sent.
        package var isPaced = false
        /// Whether only the body is sent, which is not a valid response.
        package var omitsHeaders = false

        package init(_ status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
            self.status = status
            self.headers = headers
            self.body = body
            if status >= 200, status != 304 { set("Content-Length", String(body.count)) }
        }

        /// Returns the response of a correct server: the file, a range of it, or 304.
        package static func file(_ bytes: [UInt8], for request: Request, tag: String? = "\"1\"") -> Answer {
            if let tag, request.headers["if-none-match"] == tag {
                return Answer(304, headers: [("ETag", tag)])
            }
            var answer: Answer
            let hasChanged = request.headers["if-range"].map { $0 != tag } ?? false
            if let range = request.range, !hasChanged {
                guard range.first < bytes.count else {
                    return Answer(416, headers: [("Content-Range", "bytes */\(bytes.count)")])
                }
                let last = min(range.last ?? .max, bytes.count - 1)
                answer = Answer(206, body: Array(bytes[range.first...last]))
                answer.set("Content-Range", "bytes \(range.first)-\(last)/\(bytes.count)")
            } else {
                answer = Answer(200, body: bytes)
            }
            answer.set("ETag", tag)
            return answer
        }

        /// Returns a response with the whole file, whatever was requested.
        package static func whole(_ bytes: [UInt8], tag: String? = "\"1\"") -> Answer {
            var answer = Answer(200, body: bytes)
            answer.set("ETag", tag)
            return answer
        }

        /// Sets a header field, or removes it if `value` is nil.
        package mutating func set(_ name: String, _ value: String?) {
            headers.removeAll { $0.name.lowercased() == name.lowercased() }
            if let value { headers.append((name, value)) }
        }

        var head: String {
            var lines = ["\(version) \(status) Scripted"]
            for header in headers where !(isChunked && header.name == "Content-Length") {
                lines.append("\(header.name): \(header.value)")
            }
            if isChunked { lines.append("Transfer-Encoding: chunked") }
            return lines.joined(separator: "\r\n") + "\r\n\r\n"
        }

        var sentBody: [UInt8] {
            guard isChunked else { return cut.map { Array(body.prefix($0)) } ?? body }
            var sent: [UInt8] = []
            for start in stride(from: 0, to: body.count, by: 10_000) {
                let part = body[start..<min(start + 10_000, body.count)]
                sent += Array("\(String(part.count, radix: 16))\r\n".utf8) + part + [13, 10]
            }
            sent += Array("0\r\n\r\n".utf8)
            return cut.map { Array(sent.prefix($0)) } ?? sent
        }

        var hangPlace: Int? {
            if case .inBody(let count) = hang { count } else { nil }
        }
    }
}
