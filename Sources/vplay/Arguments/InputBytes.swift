import Glibc
import PlayheadCore
import Synchronization

/// A byte source for inputs that the player cannot open by name: named pipes, the output of other processes, and files
/// whose names are not UTF-8.
final class InputBytes: ByteSource {
    private enum State {
        case closed
        case open(Int32)
        case failed(MediaError)
    }

    private let name: String
    /// The path, terminated by a zero byte.
    private let path: [UInt8]
    let isSeekable: Bool
    let byteCount: Int64?
    private let state = Mutex(State.closed)
    private let position = Mutex<Int64>(0)
    private let isCancelled = Atomic<Bool>(false)

    /// Creates a source, or returns nil if the player can open the file itself or should report the error itself.
    init?(name: String, path: [UInt8], isNameUsable: Bool) {
        var status = stat()
        let path = path + [0]
        let exists = path.withUnsafeBytes { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                characters.baseAddress.map { stat($0, &status) == 0 } ?? false
            }
        }
        let kind = exists ? status.st_mode & S_IFMT : 0
        let isPipe = kind == S_IFIFO
        guard isPipe || !isNameUsable else { return nil }
        self.name = name
        self.path = path
        isSeekable = !isPipe
        byteCount = kind == S_IFREG ? Int64(status.st_size) : nil
    }

    deinit {
        if case .open(let descriptor) = state.withLock({ $0 }) { close(descriptor) }
    }

    /// Cancels pending reads of a pipe. Reads of a file never wait, and the next pass may read the file again.
    func cancel() { if !isSeekable { isCancelled.store(true, ordering: .releasing) } }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        guard let base = buffer.baseAddress, !buffer.isEmpty, offset >= 0 else { return 0 }
        let descriptor = try descriptor()
        guard isSeekable || position.withLock({ $0 == offset }) else {
            throw MediaError(.notSeekable, "a pipe can only be read sequentially", location: name)
        }
        while true {
            if isCancelled.load(ordering: .acquiring) {
                throw MediaError(.cancelled, "reading was cancelled", location: name)
            }
            if !isSeekable, !(try isReadable(descriptor)) { continue }
            let count =
                isSeekable
                ? pread(descriptor, base, buffer.count, off_t(offset))
                : Glibc.read(descriptor, base, buffer.count)
            if count >= 0 {
                position.withLock { $0 = offset &+ Int64(count) }
                return count
            }
            if errno != EINTR, errno != EAGAIN { throw failure("cannot read the file") }
        }
    }

    /// Waits up to 50 ms for data, so that cancellation is checked 20 times a second. A named pipe that no process has
    /// opened for writing yet is not at its end.
    private func isReadable(_ descriptor: Int32) throws(MediaError) -> Bool {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let ready = poll(&polled, 1, 50)
        if ready < 0, errno != EINTR { throw failure("cannot wait for data") }
        return ready > 0
    }

    /// Returns the descriptor, which is opened at the first read as for any input.
    private func descriptor() throws(MediaError) -> Int32 {
        let outcome = state.withLock { state -> State in
            guard case .closed = state else { return state }
            let descriptor = path.withUnsafeBytes { bytes in
                bytes.withMemoryRebound(to: CChar.self) { characters in
                    characters.baseAddress.map { Glibc.open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) } ?? -1
                }
            }
            state = descriptor < 0 ? .failed(failure("cannot open the file")) : .open(descriptor)
            var status = stat()
            if descriptor >= 0, isSeekable, fstat(descriptor, &status) == 0,
                status.st_mode & S_IFMT != S_IFREG
            {
                close(descriptor)
                state = .failed(MediaError(.io, "not a regular file", location: name))
            }
            return state
        }
        switch outcome {
        case .open(let descriptor): return descriptor
        case .failed(let error): throw error
        case .closed: throw failure("cannot open the file")
        }
    }

    private func failure(_ action: String) -> MediaError {
        let code = errno
        let message = "\(action): \(String(cString: strerror(code)))"
        return MediaError(.init(systemCode: code), message, location: name, underlyingCode: code)
    }
}
