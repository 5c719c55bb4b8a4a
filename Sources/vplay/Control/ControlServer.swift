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
    private let path: String
    private let queue = DispatchQueue(label: "vplay.control")
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
    init(
        path: String,
        received: @escaping ControlClient.Handler,
        connected: @escaping @Sendable (ControlClient) -> Void,
        disconnected: @escaping @Sendable (ControlClient) -> Void
    ) throws(ControlSocketError) {
        self.path = path
        let descriptor = try Self.listen(path)
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
        unlink(path)
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
        let client = ControlClient(id: id, descriptor: connection, queue: queue, received: received) {
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

    // MARK: The socket

    private static func listen(_ path: String) throws(ControlSocketError) -> Int32 {
        // Renaming a socket that is already private leaves no moment in which others can connect.
        let temporary = "\(path).\(getpid())"
        var address = try address(temporary)
        let final = try self.address(path)
        try refuse(path, final)
        let descriptor = socket(
            AF_UNIX,
            Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue),
            0
        )
        guard descriptor >= 0 else { throw ControlSocketError(path, errno) }
        unlink(temporary)
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) } == 0
        }
        guard isBound, chmod(temporary, 0o600) == 0, Glibc.listen(descriptor, 64) == 0,
            rename(temporary, path) == 0
        else {
            let error = ControlSocketError(path, errno)
            if isBound { unlink(temporary) }
            Glibc.close(descriptor)
            throw error
        }
        return descriptor
    }

    private static func address(_ path: String) throws(ControlSocketError) -> sockaddr_un {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let isShort = withUnsafeMutableBytes(of: &address.sun_path) { space in
            guard !bytes.isEmpty, bytes.count < space.count, !bytes.contains(0) else { return false }
            space.copyBytes(from: bytes)
            return true
        }
        guard isShort else { throw ControlSocketError(path, ENAMETOOLONG) }
        return address
    }

    /// Throws if the path is not free: another process listens there, or it is a file of another kind.
    private static func refuse(_ path: String, _ address: sockaddr_un) throws(ControlSocketError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw ControlSocketError(path, EEXIST) }
        let descriptor = socket(
            AF_UNIX,
            Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue),
            0
        )
        guard descriptor >= 0 else { throw ControlSocketError(path, errno) }
        defer { Glibc.close(descriptor) }
        var address = address
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isLive = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, length) } == 0
        }
        // A full queue of connections has a listener as well.
        if isLive || errno == EAGAIN { throw ControlSocketError(path, EADDRINUSE) }
    }
}
