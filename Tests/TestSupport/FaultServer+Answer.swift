extension FaultServer {
    /// What is sent for one request, and what goes wrong with it.
    package struct Answer: Sendable {
        package enum Hang: Hashable, Sendable {
            case beforeHead
            case beforeBody
            /// After so many bytes of the body.
            case inBody(Int)
        }

        package enum End: Hashable, Sendable {
            /// The connection is kept for the next request.
            case keep
            case close
            /// The system is told that something is wrong, and sends no more of what it holds.
            case reset
        }

        package var status: Int
        package var headers: [(name: String, value: String)]
        package var body: [UInt8]
        /// Only so many bytes of the body are sent.
        package var cut: Int?
        package var hang: Hang?
        package var end = End.keep
        /// The connection ends without a word.
        package var isNothing = false
        /// The body goes as chunks, without a length.
        package var isChunked = false
        /// The body goes as `FaultServer.gate` allows.
        package var isPaced = false
        /// The body alone is sent, which then is no answer at all.
        package var isHeadless = false

        package init(_ status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
            self.status = status
            self.headers = headers
            self.body = body
            if status >= 200, status != 304 { set("Content-Length", String(body.count)) }
        }

        /// What was asked for of a file: all of it, a part, or nothing where the client has it already.
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

        /// The whole file, whatever was asked for.
        package static func whole(_ bytes: [UInt8], tag: String? = "\"1\"") -> Answer {
            var answer = Answer(200, body: bytes)
            answer.set("ETag", tag)
            return answer
        }

        /// nil takes it away.
        package mutating func set(_ name: String, _ value: String?) {
            headers.removeAll { $0.name.lowercased() == name.lowercased() }
            if let value { headers.append((name, value)) }
        }

        var head: String {
            var lines = ["HTTP/1.1 \(status) Scripted"]
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
