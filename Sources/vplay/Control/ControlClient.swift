@preconcurrency import Dispatch
import Glibc
import Synchronization

/// A connection to a remote client. It reads lines and writes lines; neither delays playback.
final class ControlClient: Sendable {
    /// How received bytes are delivered.
    enum Framing: Sendable {
        /// Complete lines.
        case lines
        /// Whatever was received. More bytes may be unread than of lines, because a response can be an image.
        case http
    }
    typealias Handler = @Sendable (ControlClient, [[UInt8]], _ done: @escaping @Sendable () -> Void) -> Void

    let id: Int

    private struct State: Sendable {
        var input: [UInt8] = []
        var output = ControlOutput()
        var isWaitingToWrite = false
        var isClosed = false
        /// Whether the connection ends when the pending bytes are written. What is received is discarded.
        var isFinishing = false
        /// The number of bytes that were discarded since the connection is finishing.
        var discardedByteCount = 0
        /// Whether received bytes are being handled, and nothing is read meanwhile.
        var isHandling = false
        /// Called when nothing is pending.
        var drained: (@Sendable () -> Void)?
    }
    /// The number of bytes after which a connection that is finishing ends at once.
    private static let maximumDiscardedByteCount = 1 << 20
    private let state: Mutex<State>
    private let framing: Framing
    private let queue: DispatchQueue
    private let descriptor: Int32
    /// Dispatch sources may be used from any thread, although their protocols are not declared `Sendable`.
    private nonisolated(unsafe) let reading: any DispatchSourceRead
    private nonisolated(unsafe) let writing: any DispatchSourceWrite
    private let closed: @Sendable (ControlClient) -> Void

    /// Creates a connection, which owns the descriptor.
    ///
    /// - Parameters:
    ///   - id: Identifies the client.
    ///   - descriptor: A connected socket that does not block.
    ///   - queue: The serial queue on which it is read and written.
    ///   - received: Called on `queue` with complete lines. No more is read until `done` is called.
    ///   - closed: Called once, on any thread, when the connection has ended.
    init(
        id: Int,
        descriptor: Int32,
        queue: DispatchQueue,
        framing: Framing = .lines,
        received: @escaping Handler,
        closed: @escaping @Sendable (ControlClient) -> Void
    ) {
        self.id = id
        self.framing = framing
        self.queue = queue
        let output = framing == .http ? ControlOutput(limit: 8 << 20) : ControlOutput()
        state = Mutex(State(output: output))
        self.descriptor = descriptor
        self.closed = closed
        reading = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        writing = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
        reading.setEventHandler { [weak self] in self?.read(received) }
        writing.setEventHandler { [weak self] in self?.write() }
        // Both sources must be cancelled before the descriptor is closed.
        let remaining = Atomic(2)
        for source in [reading, writing] as [any DispatchSourceProtocol] {
            source.setCancelHandler {
                if remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
                    Glibc.close(descriptor)
                }
            }
        }
        reading.activate()
    }

    /// Sends a line. Returns at once.
    ///
    /// - Parameters:
    ///   - line: The line without its end.
    ///   - property: Identifies an observed property, if the line has its value.
    func send(_ line: String, property: Int? = nil) {
        send(bytes: Array(line.utf8) + [UInt8(ascii: "\n")], property: property)
    }

    /// Sends bytes. Returns at once.
    func send(bytes: [UInt8], property: Int? = nil) {
        let isAccepted = state.withLock { state -> Bool in
            guard !state.isClosed, !state.isFinishing else { return true }
            guard state.output.append(bytes, property: property) else { return false }
            return state.isWaitingToWrite || flush(&state)
        }
        if !isAccepted { close() }
    }

    /// The number of bytes that the client has not accepted yet.
    var pendingByteCount: Int { state.withLock(\.output.byteCount) }

    /// Calls a closure on the queue of the client when all bytes are written. It is not called after the end.
    func whenDrained(_ body: @escaping @Sendable () -> Void) {
        state.withLock { state in
            guard !state.isClosed else { return }
            if state.output.isEmpty { queue.async(execute: body) } else { state.drained = body }
        }
    }

    /// Ends the connection after the pending bytes. The client has two seconds to read them.
    ///
    /// Closing a socket with unread bytes at once would reset the connection, and the client could lose the response.
    func finish() {
        state.withLock { state in
            guard !state.isClosed, !state.isFinishing else { return }
            state.isFinishing = true
            if state.output.isEmpty { shutdown(descriptor, Int32(SHUT_WR)) }
        }
        queue.asyncAfter(deadline: .now() + .seconds(2)) { self.close() }
    }

    /// Ends the connection. Lines that are pending are discarded.
    func close() {
        let isFirst = state.withLock { state in
            guard !state.isClosed else { return false }
            state.isClosed = true
            state.drained = nil
            reading.cancel()
            writing.cancel()
            // The handler of a cancelled source runs when the source is not suspended.
            if !state.isWaitingToWrite { writing.resume() }
            if state.isHandling {
                state.isHandling = false
                reading.resume()
            }
            return true
        }
        if isFirst { closed(self) }
    }

    private func read(_ received: Handler) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        if count == 0 { return endInput() }
        guard count > 0 else { return close() }
        var isTooLong = false
        let lines = state.withLock { state -> [[UInt8]] in
            if state.isFinishing {
                state.discardedByteCount += count
                isTooLong = state.discardedByteCount > Self.maximumDiscardedByteCount
                return []
            }
            if framing == .http { return [Array(buffer[..<count])] }
            state.input += buffer[..<count]
            guard let end = state.input.lastIndex(of: UInt8(ascii: "\n")) else {
                isTooLong = state.input.count > ControlRequest.maximumLength
                return []
            }
            defer { state.input.removeSubrange(...end) }
            return state.input[..<end].split(separator: UInt8(ascii: "\n")).map { Array($0) }
        }
        if isTooLong { return close() }
        guard !lines.isEmpty else { return }
        let isOpen = state.withLock { state in
            guard !state.isClosed else { return false }
            state.isHandling = true
            reading.suspend()
            return true
        }
        if isOpen { received(self, lines) { self.resumeReading() } }
    }

    /// Handles the end of what the client sends. It may still read what it has not received.
    private func endInput() {
        let isPending = state.withLock { state in
            guard !state.isClosed, !state.isHandling, !state.output.isEmpty else { return false }
            // The end is read again and again.
            state.isHandling = true
            reading.suspend()
            return true
        }
        if isPending { finish() } else { close() }
    }

    private func resumeReading() {
        state.withLock { state in
            guard state.isHandling else { return }
            state.isHandling = false
            reading.resume()
        }
    }

    private func write() {
        let isOpen = state.withLock { state in state.isClosed || flush(&state) }
        if !isOpen { close() }
    }

    /// Writes what the socket accepts, and waits with the source for the rest.
    ///
    /// - Returns: False if the client accepts nothing any more.
    private func flush(_ state: inout State) -> Bool {
        var isOpen = true
        state.output.drain { bytes in
            let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            if count < 0, errno != EAGAIN, errno != EINTR { isOpen = false }
            return count
        }
        if isOpen, state.output.isEmpty, let drained = state.drained {
            state.drained = nil
            queue.async(execute: drained)
        }
        if isOpen, state.output.isEmpty, state.isFinishing { shutdown(descriptor, Int32(SHUT_WR)) }
        guard isOpen, state.output.isEmpty == state.isWaitingToWrite else { return isOpen }
        state.isWaitingToWrite.toggle()
        if state.isWaitingToWrite { writing.resume() } else { writing.suspend() }
        return true
    }
}
