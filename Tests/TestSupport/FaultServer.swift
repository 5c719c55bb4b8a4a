internal import Foundation
internal import Glibc
internal import MediaCore

/// An HTTP/1.1 server on the loopback interface that sends exactly the bytes that a test specifies. It logs each
/// request.
///
/// The server has no timers. A response that hangs does so until the client disconnects or the test releases it.
package final class FaultServer: Sendable {
    /// A request of a client.
    package struct Request: Hashable, Sendable {
        /// The number of the request over all connections, starting with 1.
        package var number: Int
        /// The number of the connection, starting with 1.
        package var connection: Int
        package var method: String
        /// The path with the query.
        package var path: String
        /// The header fields by their names in lower case.
        package var headers: [String: String]

        /// The first and the last byte of the `Range` field, or nil if there is none.
        package var range: (first: Int, last: Int?)? {
            guard let text = headers["range"], text.hasPrefix("bytes=") else { return nil }
            let ends = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
            guard ends.count == 2, let first = Int(ends[0]) else { return nil }
            return (first, Int(ends[1]))
        }
    }

    package typealias Script = @Sendable (Request) -> Answer

    private struct State {
        var log: [Request] = []
        var connections = 0
        var openRequests = 0
        var open: Set<Int32> = []
        var bodyBytes = 0
        var isStopped = false
    }

    private let script: Script
    private let state = Locked(State())
    private let listener: Int32
    package let port: UInt16
    /// The last byte of the address 127.0.0.`host`. Different values look like different machines to clients.
    private let host: UInt8
    /// Becomes readable when responses stop hanging, and when the server stops.
    private let released: Bell
    private let stopped: Bell
    /// Limits how fast paced bodies are sent. See `Answer.isPaced`.
    package let gate = Gate()
    private let closed = Gate()

    /// Starts a server that sends the responses of `script`. Throws if no socket is available.
    ///
    /// - Parameters:
    ///   - host: The last byte of the address in 127.0.0.0.
    ///   - port: The port, for a server that replaces another one; 0 for a free one.
    ///   - script: Returns the response to a request.
    package init(host: UInt8 = 1, port: UInt16 = 0, _ script: @escaping Script) throws {
        self.host = host
        self.script = script
        released = try Bell()
        stopped = try Bell()
        (listener, self.port) =
            port == 0
            ? try Self.listenOnUnusedPort(of: host) : try Self.listen(host: host, port: port)
        try Self.thread { [self] in accept() }
    }

    /// The ports that the system has chosen in this process.
    private static let usedPorts = Locked(Set<UInt16>())

    /// Listens on a port that no server of this process has had. Clients keep what a server has sent for its address, and
    /// all servers send the same entity tag: a client would take the file of an earlier server for that of this one.
    private static func listenOnUnusedPort(of host: UInt8) throws -> (socket: Int32, port: UInt16) {
        while true {
            let found = try listen(host: host, port: 0)
            if usedPorts.withLock({ $0.insert(found.port).inserted }) { return found }
            close(found.socket)
        }
    }

    private static func listen(host: UInt8, port: UInt16) throws -> (socket: Int32, port: UInt16) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var isReused: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &isReused, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_port = port.bigEndian
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = (0x7F00_0000 | UInt32(host)).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && Glibc.listen(listener, 64) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        guard listener >= 0, isBound else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        return (listener, UInt16(bigEndian: address.sin_port))
    }

    /// Starts a server that serves a file at every path, with range support. `change` modifies single responses.
    package convenience init(
        _ file: [UInt8],
        host: UInt8 = 1,
        port: UInt16 = 0,
        change: @escaping @Sendable (Request, inout Answer) -> Void = { _, _ in }
    ) throws {
        try self.init(host: host, port: port) { request in
            var answer = Answer.file(file, for: request)
            change(request, &answer)
            return answer
        }
    }

    package func url(_ path: String = "/film.mp4") -> String { "http://127.0.0.\(host):\(port)\(path)" }
    package var log: [Request] { state.withLock { $0.log } }
    /// The number of bytes of bodies passed to the system.
    package var bodyBytes: Int { state.withLock { $0.bodyBytes } }
    /// The number of requests whose responses are not complete. Idle connections may stay open.
    package var openRequests: Int { state.withLock { $0.openRequests } }
    /// The number of connections so far.
    package var connectionCount: Int { state.withLock { $0.connections } }
    /// The number of open connections.
    package var openConnections: Int { state.withLock { $0.open.count } }

    /// Ends all present and future hanging.
    package func release() { released.ring() }

    /// Waits until the port is closed after `stop()`.
    package func waitUntilClosed() { _ = closed.consume(upTo: 1) }

    /// Closes everything. Each test calls this at its end.
    package func stop() {
        stopped.ring()
        gate.open()
        state.withLock { state in
            state.isStopped = true
            // Their threads notice the shutdown and close them.
            for connection in state.open { shutdown(connection, Int32(SHUT_RDWR)) }
        }
    }

    private static func thread(_ body: @escaping @Sendable () -> Void) throws {
        let code = DetachedThread.start("fault-server", body)
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EAGAIN) }
    }

    private func accept() {
        defer {
            close(listener)
            closed.allow(1)
        }
        while stopped.wait(or: listener, Int16(POLLIN)) {
            let connection = Glibc.accept(listener, nil, nil)
            guard connection >= 0 else { continue }
            let accepted = state.withLock { state -> Int? in
                // `stop()` has closed the others.
                guard !state.isStopped else { return nil }
                state.open.insert(connection)
                state.connections += 1
                return state.connections
            }
            guard let number = accepted else {
                close(connection)
                continue
            }
            var one: Int32 = 1
            setsockopt(connection, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
            do {
                try Self.thread { [self] in
                    serve(connection, number)
                    end(connection)
                }
            } catch {
                end(connection)
            }
        }
    }

    private func end(_ connection: Int32) {
        state.withLock { _ = $0.open.remove(connection) }
        close(connection)
    }

    private func serve(_ connection: Int32, _ number: Int) {
        while let lines = readHead(connection) {
            guard let request = note(lines, number) else { return }
            let isOpen = send(script(request), to: connection)
            state.withLock { $0.openRequests -= 1 }
            guard isOpen else { return }
        }
    }

    private func note(_ lines: [Substring], _ connection: Int) -> Request? {
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count >= 2 else { return nil }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            headers[line[..<colon].lowercased()] = String(value)
        }
        return state.withLock { state in
            let request = Request(
                number: state.log.count + 1,
                connection: connection,
                method: String(words[0]),
                path: String(words[1]),
                headers: headers
            )
            state.log.append(request)
            state.openRequests += 1
            return request
        }
    }

    private func readHead(_ connection: Int32) -> [Substring]? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while recv(connection, &byte, 1, 0) == 1 {
            bytes.append(byte)
            if bytes.suffix(4) == [13, 10, 13, 10] {
                return String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
            }
        }
        return nil
    }

    /// Sends a response. Returns false if the connection must be closed.
    private func send(_ answer: Answer, to connection: Int32) -> Bool {
        if answer.hang == .beforeHead, !hang(connection) { return false }
        if answer.closesWithoutResponse {
            if answer.end == .reset { reset(connection) }
            return false
        }
        if !answer.omitsHeaders, !write(Array(answer.head.utf8), to: connection) { return false }
        if answer.hang == .beforeBody, !hang(connection) { return false }
        let body = answer.sentBody
        let pause = answer.hangPlace.map { min($0, body.count) } ?? body.count
        guard write(body[..<pause], to: connection, isPaced: answer.isPaced) else { return false }
        if pause < body.count || answer.hangPlace != nil {
            guard hang(connection), write(body[pause...], to: connection, isPaced: answer.isPaced) else {
                return false
            }
        }
        switch answer.end {
        case .keep: return true
        case .close: return false
        case .reset:
            reset(connection)
            return false
        }
    }

    /// Makes the system send a reset when the connection is closed.
    private func reset(_ connection: Int32) {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(connection, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    }

    /// Hangs until the test releases it. Returns false if the client has disconnected or the server stops.
    private func hang(_ connection: Int32) -> Bool {
        released.waitWhileOpen(connection, unless: stopped)
    }

    private func write<Bytes: Collection<UInt8>>(_ bytes: Bytes, to connection: Int32, isPaced: Bool = false)
        -> Bool
    {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let allowed = isPaced ? gate.consume(upTo: rest.count) : rest.count
            let count = rest.prefix(allowed).withUnsafeBytes {
                Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0, !state.withLock({ $0.isStopped }) else {
                // These bytes were not sent, so another connection may send as many.
                if isPaced { gate.allow(allowed) }
                return false
            }
            state.withLock { $0.bodyBytes += count }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
