import Glibc
import Playhead
import Synchronization

/// Bytes of what the player does not open by its name: named pipes, other processes' output, and files whose
/// names are no UTF-8.
final class InputBytes: ByteSource {
    private enum State {
        case closed
        case open(Int32)
        case failed(MediaError)
    }

    private let name: String
    /// With a zero behind.
    private let path: [UInt8]
    let isSeekable: Bool
    let byteCount: Int64?
    private let state = Mutex(State.closed)
    private let position = Mutex<Int64>(0)
    private let isCancelled = Atomic<Bool>(false)

    /// nil for what the player can open itself, or should refuse in its own words.
    init?(name: String, path: [UInt8], isNameUsable: Bool) {
        var status = stat()
        let path = path + [0]
        let isThere = path.withUnsafeBytes { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                characters.baseAddress.map { stat($0, &status) == 0 } ?? false
            }
        }
        let kind = isThere ? status.st_mode & S_IFMT : 0
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

    /// A file never waits, and may be opened again by the next pass.
    func cancel() { if !isSeekable { isCancelled.store(true, ordering: .releasing) } }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        guard let base = buffer.baseAddress, !buffer.isEmpty, offset >= 0 else { return 0 }
        let descriptor = try descriptor()
        guard isSeekable || position.withLock({ $0 == offset }) else {
            throw MediaError(.notSeekable, "a pipe can only be read forwards", location: name)
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
            if errno != EINTR, errno != EAGAIN { throw failure("cannot read it") }
        }
    }

    /// Asks 20 times a second whether reading was cancelled. A named pipe that nobody has opened for writing yet
    /// is not at its end.
    private func isReadable(_ descriptor: Int32) throws(MediaError) -> Bool {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let ready = poll(&polled, 1, 50)
        if ready < 0, errno != EINTR { throw failure("cannot wait for it") }
        return ready > 0
    }

    /// Opened when it is first read, as any input is.
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
                state = .failed(MediaError(.io, "this is not a regular file", location: name))
            }
            return state
        }
        switch outcome {
        case .open(let descriptor): return descriptor
        case .failed(let error): throw error
        case .closed: throw failure("cannot open the file")
        }
    }

    private func failure(_ doing: String) -> MediaError {
        let code = errno
        let kind: MediaError.Code = code == ENOENT ? .notFound : code == EACCES ? .permissionDenied : .io
        let words = "\(doing): \(String(cString: strerror(code)))"
        return MediaError(kind, words, location: name, underlyingCode: code)
    }
}
