@preconcurrency import Dispatch
import Glibc
import Synchronization

/// A Unix socket on which remote clients are accepted.
final class ControlServer: Sendable {
    /// The largest number of clients at a time. More are disconnected at once.
    private static let maximumClientCount = 256

    private struct State: Sendable {
        var clients: [Int: ControlClient] = [:]
        var lastID = 0
        var isAccepting = false
        var isClosed = false
    }
    private let state = Mutex(State())
    /// The socket in the file system, or nil.
    private let file: ControlSocketFile?
    private let queue: DispatchQueue
    private let framing: ControlClient.Framing
    /// Dispatch sources may be used from any thread, although their protocols are not declared `Sendable`.
    private nonisolated(unsafe) let accepting: any DispatchSourceRead

    /// Creates the socket with the mode 0600. A socket on which nobody listens any more is replaced.
    ///
    /// - Parameters:
    ///   - path: The path of the socket.
    ///   - received: Called with the lines of a client, on a private queue; see `ControlClient`.
    ///   - connected: Called on the same queue when a client has connected.
    ///   - disconnected: Called on any thread when a client has gone.
    /// - Throws: `OutputError` if the socket cannot be created, or another process listens on it.
    convenience init(
        path: String,
        received: @escaping ControlClient.Handler,
        connected: @escaping @Sendable (ControlClient) -> Void,
        disconnected: @escaping @Sendable (ControlClient) -> Void
    ) throws(ControlSocketError) {
        let file = try ControlSocketFile(path)
        self.init(
            descriptor: file.descriptor,
            file: file,
            queue: DispatchQueue(label: "vplay.control"),
            received: received,
            connected: connected,
            disconnected: disconnected
        )
    }

    /// Serves a socket that listens. The server owns the descriptor.
    init(
        descriptor: Int32,
        file: ControlSocketFile? = nil,
        queue: DispatchQueue,
        framing: ControlClient.Framing = .lines,
        received: @escaping ControlClient.Handler,
        connected: @escaping @Sendable (ControlClient) -> Void,
        disconnected: @escaping @Sendable (ControlClient) -> Void
    ) {
        self.file = file
        self.queue = queue
        self.framing = framing
        accepting = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        accepting.setCancelHandler { Glibc.close(descriptor) }
        accepting.setEventHandler { [weak self] in
            self?.accept(descriptor, received, connected, disconnected)
        }
    }

    deinit {
        // A source must be active when it is released.
        if !state.withLock({ $0.isAccepting }) { accepting.activate() }
        accepting.cancel()
    }

    /// Accepts clients. Those that have connected already have waited.
    func start() {
        let isFirst = state.withLock { state in
            defer { state.isAccepting = true }
            return !state.isAccepting
        }
        if isFirst { accepting.activate() }
    }

    /// Removes the socket and disconnects the clients.
    func close() {
        let clients = state.withLock { state in
            state.isClosed = true
            return Array(state.clients.values)
        }
        file?.remove()
        accepting.cancel()
        for client in clients { client.close() }
    }

    private func accept(
        _ descriptor: Int32,
        _ received: @escaping ControlClient.Handler,
        _ connected: @Sendable (ControlClient) -> Void,
        _ disconnected: @escaping @Sendable (ControlClient) -> Void
    ) {
        let connection = Glibc.accept(descriptor, nil, nil)
        guard connection >= 0 else {
            // Without a free descriptor the connection stays in the queue of the socket, and would be reported again at
            // once.
            if [EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(errno) {
                accepting.suspend()
                queue.asyncAfter(deadline: .now() + .milliseconds(250)) { self.accepting.resume() }
            }
            return
        }
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        _ = fcntl(connection, F_SETFL, O_NONBLOCK)
        let id = state.withLock { state -> Int? in
            guard state.clients.count < Self.maximumClientCount else { return nil }
            state.lastID += 1
            return state.lastID
        }
        guard let id else {
            Glibc.close(connection)
            return
        }
        let client = ControlClient(
            id: id,
            descriptor: connection,
            queue: queue,
            framing: framing,
            received: received
        ) {
            [weak self] client in
            self?.state.withLock { $0.clients[client.id] = nil }
            disconnected(client)
        }
        let isClosed = state.withLock { state in
            if !state.isClosed { state.clients[id] = client }
            return state.isClosed
        }
        if isClosed { client.close() } else { connected(client) }
    }
}
