import MediaCore
import TestSupport
import Testing

@testable import Network

/// Responses that are invalid, or describe another resource.
@Suite("Invalid and changed bodies", .timeLimit(.minutes(10)))
struct BodyFaultTests {
    typealias Answer = FaultServer.Answer

    // MARK: Invalid bodies

    @Test("A server without range support delivers the right bytes, at any offset")
    func noRanges() throws {
        let file = try ServedFile.recovers { _, answer in answer = .whole(ServedFile.bytes(300_000)) }
        #expect(file.source.isSeekable)
        #expect(file.source.byteCount == 300_000)
        #expect(file.server.log.count == 1)
    }

    @Test("Without range support a later offset is read up to, and an earlier one from the start again")
    func goingBackWithoutRanges() throws {
        var policy = ServedFile.policy
        policy.storeLimit = 1
        policy.window = 1
        policy.initialWindow = 1
        let all = ServedFile.bytes(3_000_000)
        let file = try ServedFile(size: 3_000_000, policy: policy) { _, answer in answer = .whole(all) }
        defer { file.server.stop() }
        #expect(try file.read(upTo: 100) == Array(all[..<100]))
        #expect(try file.read(from: 2_900_000) == Array(all[2_900_000...]))
        #expect(try file.read(from: 1000, upTo: 100_000) == Array(all[1000..<101_000]))
        #expect(file.ranges.dropFirst().allSatisfy { $0 == "-" })
    }

    @Test("Without ranges, length and validator the bytes are read once, in order")
    func onceOnly() throws {
        let file = try ServedFile { _, answer in
            answer = .whole(ServedFile.bytes(300_000), tag: nil)
            answer.isChunked = true
            answer.hang = .inBody(5000)
        }
        defer { file.server.stop() }
        #expect(try file.read(upTo: 1).count == 1)
        #expect(!file.source.isSeekable)
        #expect(file.source.byteCount == nil)
        file.server.release()
        #expect(try file.read() == file.bytes)
        #expect(file.source.byteCount == 300_000)
        #expect(!file.source.isSeekable)
    }

    @Test("A connection that ends without ranges, length and validator is not restarted")
    func onceOnlyAndBroken() throws {
        try ServedFile.fails(.io, requests: 1) { _, answer in
            answer = .whole(ServedFile.bytes(300_000), tag: nil)
            answer.isChunked = true
            answer.cut = 50_000
            answer.end = .close
        }
    }

    @Test("Without a length the body ends with the connection")
    func untilTheEnd() throws {
        try ServedFile.recovers { _, answer in
            answer = .whole(ServedFile.bytes(300_000))
            answer.set("Content-Length", nil)
            answer.end = .close
        }
    }

    /// Returns a response as internet radio sends it: without a length, until the connection ends.
    private static func radioAnswer(isShoutcast: Bool, tag: String? = nil) -> Answer {
        var answer = Answer.whole(ServedFile.bytes(300_000), tag: tag)
        if isShoutcast { answer.version = "ICY" } else { answer.set("icy-name", "Radio") }
        answer.set("Content-Type", "audio/mpeg")
        answer.set("Content-Length", nil)
        answer.end = .close
        return answer
    }

    @Test(
        "Internet radio whose connection ends or breaks continues with the bytes of the next one",
        arguments: [true, false],
        [true, false]
    )
    func radio(isShoutcast: Bool, isReset: Bool) throws {
        let file = try ServedFile { request, answer in
            // A server may send a validator, which changes with the bytes.
            answer = Self.radioAnswer(isShoutcast: isShoutcast, tag: "\"\(request.number)\"")
            if isReset, request.number == 2 {
                answer.isChunked = true
                answer.cut = 0
            }
        }
        defer { file.server.stop() }
        let expected = Array((file.bytes + file.bytes + file.bytes).prefix(700_000))
        #expect(try file.read(upTo: 700_000) == expected)
        #expect(!file.source.isSeekable)
        #expect(file.source.byteCount == nil)
        #expect(file.source.liveMediaType == "audio/mpeg")
        #expect(file.ranges.dropFirst().allSatisfy { $0 == "-" })
    }

    @Test(
        "Internet radio whose encoder is not connected for a while is requested again",
        arguments: [404, 503]
    )
    func radioWithoutEncoder(status: Int) throws {
        let file = try ServedFile { request, answer in
            answer = (2...9).contains(request.number) ? Answer(status) : Self.radioAnswer(isShoutcast: false)
        }
        defer { file.server.stop() }
        let expected = Array((file.bytes + file.bytes).prefix(400_000))
        #expect(try file.read(upTo: 400_000) == expected)
    }

    @Test("Internet radio that does not come back is an error, after what was received")
    func radioEnds() throws {
        let file = try ServedFile { request, answer in
            answer = Self.radioAnswer(isShoutcast: false)
            if request.number > 1 { answer.body = [] }
        }
        defer { file.server.stop() }
        #expect(try file.read(upTo: 300_000) == file.bytes)
        let error = try #require(throws: MediaError.self) { try file.read(from: 300_000) }
        #expect(error.code == .io)
        #expect(error.message.contains("300000"))
        #expect(!error.isRetryable)
        #expect(file.server.log.count == 4)
    }

    @Test("A file instead of internet radio is another resource")
    func radioBecomesFile() throws {
        let file = try ServedFile { request, answer in
            answer = Self.radioAnswer(isShoutcast: false)
            if request.number > 1 { answer = .whole(ServedFile.bytes(1000), tag: nil) }
        }
        defer { file.server.stop() }
        let error = try #require(throws: MediaError.self) { try file.read() }
        #expect(error.code == .resourceChanged)
    }

    @Test("A SHOUTcast server that refuses the request is an error")
    func shoutcastRefuses() throws {
        try ServedFile.fails(.permissionDenied, requests: 1) { _, answer in
            answer = Answer(401)
            answer.version = "ICY"
        }
    }

    @Test("Ranges may be sent with chunked transfer coding")
    func chunked() throws { try ServedFile.recovers { _, answer in answer.isChunked = true } }

    @Test("A range that begins at another byte is rejected and retried")
    func wrongOffset() throws {
        let shift: @Sendable (inout Answer) -> Void = { $0.set("Content-Range", "bytes 1000-300999/400000") }
        try ServedFile.recovers {
            if $0.number == 1 { $1.set("Content-Range", "bytes 10-299999/300000") }
        }
        try ServedFile.fails(.io, requests: 3) { _, answer in shift(&answer) }
    }

    @Test("A whole file that is declared as the requested range is rejected and retried")
    func wholeAsPart() throws {
        let all = ServedFile.bytes(300_000)
        let lie: @Sendable (FaultServer.Request, inout Answer) -> Void = { request, answer in
            let place = "bytes \(request.range?.first ?? 0)-299999/300000"
            answer = Answer(206, headers: [("Content-Range", place), ("ETag", "\"1\"")], body: all)
        }
        let file = try ServedFile.recovers {
            if $0.number == 1 {
                $1.cut = 100_000
                $1.end = .close
            }
            if $0.number == 2 { lie($0, &$1) }
        }
        #expect(file.server.log.count == 3)
        try ServedFile.fails(.io, requests: 4, more: 3) {
            if $0.number > 1 { return lie($0, &$1) }
            $1.cut = 100_000
            $1.end = .close
        }
    }

    @Test("A page of a gateway, which has neither the validator nor the length, is rejected and retried")
    func gatewayPage() throws {
        let page: @Sendable () -> Answer = {
            var answer = Answer.whole(ServedFile.bytes(50_000, seed: 2), tag: nil)
            answer.isChunked = true
            return answer
        }
        let file = try ServedFile.recovers {
            if $0.number == 1 {
                $1.cut = 100_000
                $1.end = .close
            }
            if $0.number == 2 { $1 = page() }
        }
        #expect(file.ranges.last == "100000-299999")
        #expect(file.server.log.count == 3)
        try ServedFile.fails(.io, requests: 4, more: 3) {
            if $0.number > 1 {
                $1 = page()
            } else {
                $1.cut = 100_000
                $1.end = .close
            }
        }
    }

    @Test("A page of a gateway with another length is retried, and the file has changed if it stays")
    func gatewayPageWithLength() throws {
        let page: @Sendable () -> Answer = { .whole(ServedFile.bytes(50_000, seed: 2), tag: nil) }
        let file = try ServedFile.recovers {
            if $0.number == 1 {
                $1.cut = 100_000
                $1.end = .close
            }
            if $0.number == 2 { $1 = page() }
        }
        #expect(file.ranges.last == "100000-299999")
        #expect(file.server.log.count == 3)
        try ServedFile.fails(.resourceChanged, requests: 4) {
            if $0.number > 1 {
                $1 = page()
            } else {
                $1.cut = 100_000
                $1.end = .close
            }
        }
    }

    @Test("A partial response without Content-Range is rejected")
    func noPlace() throws {
        try ServedFile.fails(.io, requests: 3) { _, answer in answer.set("Content-Range", nil) }
    }

    @Test("A range with another total length is a changed resource")
    func wrongTotal() throws {
        try ServedFile.fails(.resourceChanged, requests: 2) {
            $1.cut = 100_000
            $1.end = .close
            if $0.number > 1 { $1.set("Content-Range", "bytes 100000-299999/400000") }
        }
    }

    @Test("A Content-Range without a total length is accepted")
    func unknownTotal() throws {
        var policy = ServedFile.policy
        policy.window = 128 << 10
        policy.initialWindow = 128 << 10
        let file = try ServedFile(policy: policy) { request, answer in
            guard let first = request.range?.first, answer.status == 206 else { return }
            answer.set("Content-Range", "bytes \(first)-\(first + answer.body.count - 1)/*")
        }
        defer { file.server.stop() }
        #expect(try file.read() == file.bytes)
        #expect(file.source.byteCount == 300_000)
    }

    @Test("Offsets near the maximum are after the end, whatever length is declared")
    func farBehindTheEnd() throws {
        let file = try ServedFile { _, answer in
            answer.set("Content-Range", "bytes 0-299999/*")
            answer.set("Content-Length", "9223372036854775807")
        }
        defer { file.server.stop() }
        #expect(try file.read(from: .max - 100).isEmpty)
        #expect(try file.read(upTo: 1000) == Array(file.bytes.prefix(1000)))
        #expect(try file.read(from: .max).isEmpty)
    }

    @Test("Bytes beyond the requested range are ignored")
    func tooMuch() throws {
        var policy = ServedFile.policy
        policy.window = 100_000
        policy.initialWindow = 100_000
        let all = ServedFile.bytes(300_000)
        let file = try ServedFile(policy: policy) { request, answer in
            guard let first = request.range?.first, first < all.count else { return }
            answer = Answer(
                206,
                headers: [("Content-Range", "bytes \(first)-\(all.count - 1)/\(all.count)")],
                body: Array(all[first...])
            )
        }
        defer { file.server.stop() }
        #expect(try file.read() == all)
    }

    @Test("An unrequested content coding is an error")
    func compressed() throws {
        let error = try ServedFile.fails(.io, requests: 1) { _, answer in
            answer.set("Content-Encoding", "gzip")
        }
        #expect(error.message.contains("gzip"))
    }

    @Test("Endless headers exceed the limit")
    func headerBomb() throws {
        try ServedFile.fails(.exceedsLimits, requests: 1) { _, answer in
            for index in 0..<2000 { answer.headers.append(("X-\(index)", String(repeating: "x", count: 60))) }
        }
    }

    // MARK: Changed resources

    @Test(
        "An entity tag that becomes strong or weak is not a change",
        arguments: [("W/\"1\"", "\"1\""), ("\"1\"", "W/\"1\"")]
    )
    func weakTag(first: String, second: String) throws {
        let file = try ServedFile.recovers { request, answer in
            let isFirst = request.number == 1
            answer.set("ETag", isFirst ? first : second)
            guard isFirst else { return }
            answer.cut = 100_000
            answer.end = .close
        }
        #expect(file.server.log.count == 2)
    }

    @Test(
        "A resource that changes while it is read is an error, and its new bytes are not returned",
        arguments: ["ETag", "Last-Modified", "Last-Modified with a first ETag"]
    )
    func changed(by name: String) throws {
        let old = ServedFile.bytes(300_000)
        let new = ServedFile.bytes(300_000, seed: 2)
        let file = try ServedFile { request, answer in
            let isNew = request.number > 1
            answer = Answer.file(isNew ? new : old, for: request, tag: isNew ? "two" : "one")
            if name != "ETag" {
                // A server without support for `If-Range` sends the range of the new file.
                answer.set("ETag", isNew && name != "Last-Modified" ? "two" : nil)
                answer.set(
                    "Last-Modified",
                    isNew ? "Tue, 02 Jan 2024 00:00:00 GMT" : "Mon, 01 Jan 2024 00:00:00 GMT"
                )
            }
            if !isNew {
                // The connection ends after the test has read these bytes.
                answer.hang = .inBody(100_000)
                answer.cut = 100_000
                answer.end = .close
            }
        }
        defer { file.server.stop() }
        #expect(try file.read(upTo: 100_000) == Array(old[..<100_000]))
        file.server.release()
        let error = #expect(throws: MediaError.self) { try file.read(from: 100_000) }
        #expect(error?.code == .resourceChanged)
        // The failure is permanent, even for bytes in memory.
        #expect(throws: MediaError.self) { try file.read(upTo: 1) }
        let tag = file.server.log[1].headers["if-range"]
        #expect(tag == (name == "ETag" ? "one" : "Mon, 01 Jan 2024 00:00:00 GMT"))
    }
}
