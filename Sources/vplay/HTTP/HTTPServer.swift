@preconcurrency import Dispatch
import Synchronization

/// A small HTTP/1.1 server. It reads a request at a time from each connection, and never waits for one.
final class HTTPServer: Sendable {
    typealias Handler = @Sendable (HTTPRequest, _ respond: @escaping @Sendable (HTTPResponse) -> Void) -> Void

    /// How long the head of a request may take.
    private static let headTimeout = Duration.seconds(10)
    /// How long a connection may be idle, or not read its response.
    private static let idleTimeout = Duration.seconds(30)
    private static let heartbeatInterval = Duration.seconds(15)
    /// The largest number of unread bytes of a stream.
    private static let maximumStreamBacklog = 1 << 20

    private struct Connection: Sendable {
        let client: ControlClient
        var received: [UInt8] = []
        /// The index in `received` at which the next request begins.
        var nextRequest = 0
        /// Allows more bytes to be read.
        var resume: (@Sendable () -> Void)?
        var isAnswering = false
        var isStream = false
        /// Whether no further request is read.
        var isFinished = false
        /// The time at which the connection is closed.
        var deadline: ContinuousClock.Instant?
        /// Whether the deadline is that of an incomplete head.
        var isInHead = false

        /// Adds bytes to those of requests that have not been answered.
        mutating func append(_ chunks: [[UInt8]]) {
            guard !isStream, !isFinished else { return }
            received.removeSubrange(..<nextRequest)
            nextRequest = 0
            for chunk in chunks { received += chunk }
        }
    }
    private struct State: Sendable {
        var connections: [Int: Connection] = [:]
        var heartbeat = ContinuousClock.now
    }
    private let state = Mutex(State())
    private let access: HTTPAccess
    private let handler: Handler
    private let queue = DispatchQueue(label: "vplay.http")
    private let server: Mutex<ControlServer?> = Mutex(nil)
    /// Dispatch sources may be used from any thread, although their protocols are not declared `Sendable`.
    private nonisolated(unsafe) let timer: any DispatchSourceTimer

    /// Serves a socket.
    ///
    /// - Parameters:
    ///   - descriptor: A socket that listens. The server owns it.
    ///   - access: Which requests are answered.
    ///   - handler: Called on a private queue. The response may be given later, on any thread.
    init(descriptor: Int32, access: HTTPAccess, handler: @escaping Handler) {
        self.access = access
        self.handler = handler
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [weak self] in self?.checkDeadlines() }
        timer.schedule(deadline: .now() + 1, repeating: 1)
        timer.activate()
        let server = ControlServer(descriptor: descriptor, queue: queue, framing: .http) {
            [weak self] client, chunks, done in
            self?.receive(chunks, from: client, done)
        } connected: { [weak self] client in
            self?.state.withLock {
                $0.connections[client.id] = Connection(client: client, deadline: .now + Self.headTimeout)
            }
        } disconnected: { [weak self] client in
            self?.state.withLock { $0.connections[client.id] = nil }
        }
        self.server.withLock { $0 = server }
        server.start()
    }

    deinit { timer.cancel() }

    func close() {
        timer.cancel()
        let server = server.withLock { server in
            defer { server = nil }
            return server
        }
        server?.close()
    }

    var hasStreams: Bool { state.withLock { $0.connections.values.contains(where: \.isStream) } }

    /// Sends a line to all streams. A client that does not read is disconnected.
    func publish(_ line: String) {
        let streams = state.withLock { $0.connections.values.filter(\.isStream).map(\.client) }
        guard !streams.isEmpty else { return }
        let bytes = Array("data: \(line)\n\n".utf8)
        for client in streams {
            if client.pendingByteCount > Self.maximumStreamBacklog {
                client.close()
            } else {
                client.send(bytes: bytes)
            }
        }
    }

    private func receive(
        _ chunks: [[UInt8]],
        from client: ControlClient,
        _ done: @escaping @Sendable () -> Void
    ) {
        let isConnected = state.withLock { state in
            state.connections[client.id]?.append(chunks)
            state.connections[client.id]?.resume = done
            return state.connections[client.id] != nil
        }
        guard isConnected else { return done() }
        processNext(client)
        resumeReading(client)
    }

    /// Reads on, unless a request is being answered: its connection may have received many more.
    private func resumeReading(_ client: ControlClient) {
        let resume = state.withLock { state -> (@Sendable () -> Void)? in
            guard let connection = state.connections[client.id], !connection.isAnswering else { return nil }
            state.connections[client.id]?.resume = nil
            return connection.resume
        }
        resume?()
    }

    /// Answers the next request of a connection, if it is complete.
    private func processNext(_ client: ControlClient) {
        var refusal: HTTPStatus?
        let request = state.withLock { state -> HTTPRequest? in
            guard let connection = state.connections[client.id], !connection.isAnswering,
                !connection.isFinished
            else { return nil }
            do throws(HTTPStatus) {
                let next = try HTTPRequest.parse(connection.received, from: connection.nextRequest)
                if let next {
                    state.connections[client.id]?.isAnswering = true
                    state.connections[client.id]?.nextRequest = next.end
                    state.connections[client.id]?.deadline = nil
                    state.connections[client.id]?.isInHead = false
                } else if connection.received.count > connection.nextRequest, !connection.isInHead {
                    // Further bytes do not extend it.
                    state.connections[client.id]?.deadline = .now + Self.headTimeout
                    state.connections[client.id]?.isInHead = true
                }
                return next?.request
            } catch {
                state.connections[client.id]?.isFinished = true
                state.connections[client.id]?.received = []
                state.connections[client.id]?.nextRequest = 0
                refusal = error
                return nil
            }
        }
        if let refusal { return finish(client, HTTPResponse(refusal)) }
        guard let request else { return }
        let once = Once()
        let respond: @Sendable (HTTPResponse) -> Void = { [weak self] response in
            if once.claim() { self?.respond(response, to: request, of: client) }
        }
        if let status = access.refusal(of: request) { return respond(HTTPResponse(status)) }
        handler(request, respond)
    }

    private func respond(_ response: HTTPResponse, to request: HTTPRequest, of client: ControlClient) {
        let isHead = request.method == .head
        let isStream = response.isStream && !isHead
        let keepsConnection = request.keepsConnection && !response.isStream
        client.send(bytes: response.bytes(isHead: isHead, keepsConnection: keepsConnection))
        state.withLock { state in
            guard var connection = state.connections[client.id] else { return }
            defer { state.connections[client.id] = connection }
            connection.isStream = isStream
            connection.isFinished = !keepsConnection
            connection.deadline = isStream ? nil : .now + Self.idleTimeout
        }
        if !keepsConnection, !isStream { client.finish() }
        // A client that does not read has no further request answered.
        client.whenDrained { [self] in
            state.withLock { $0.connections[client.id]?.isAnswering = false }
            processNext(client)
            resumeReading(client)
        }
    }

    private func finish(_ client: ControlClient, _ response: HTTPResponse) {
        client.send(bytes: response.bytes(isHead: false, keepsConnection: false))
        client.finish()
    }

    private func checkDeadlines() {
        let now = ContinuousClock.now
        let (late, streams) = state.withLock { state -> ([Connection], [ControlClient]) in
            let late = state.connections.values.filter { $0.deadline.map { $0 < now } ?? false }
            for connection in late {
                state.connections[connection.client.id]?.isFinished = true
                state.connections[connection.client.id]?.deadline = nil
            }
            guard now - state.heartbeat > Self.heartbeatInterval else { return (late, []) }
            state.heartbeat = now
            return (late, state.connections.values.filter(\.isStream).map(\.client))
        }
        for connection in late {
            if connection.isInHead {
                finish(connection.client, HTTPResponse(.requestTimeout))
            } else {
                connection.client.close()
            }
        }
        // A comment finds connections whose other end is gone.
        for client in streams { client.send(bytes: Array(":\n\n".utf8)) }
    }
}
