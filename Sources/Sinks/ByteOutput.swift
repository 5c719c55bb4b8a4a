internal import Glibc
internal import MediaCore

/// Owns a file, or standard output, that bytes are appended to.
///
/// Small pieces are gathered; large ones go to the system where they lie, without a copy. The first error
/// stays: every later write throws it again. Not to be used from two threads at a time.
///
/// A reader that goes away is `SinkError.closedPipe` whatever the host does about SIGPIPE: the signal is held
/// back for the writing thread during a write to a pipe or socket, and taken off it. No disposition is changed.
public final class ByteOutput {
    /// As given; "standard output" for "-".
    public let path: String
    /// Bytes already written may be written again: a regular file that does not only append.
    public let isRewritable: Bool
    /// Bytes accepted so far, gathered ones included.
    public private(set) var byteCount: Int64 = 0

    /// -1 until the first byte of a file that takes its name at the end.
    private var descriptor: Int32
    private let closesDescriptor: Bool
    private let raisesPipeSignal: Bool
    private var replacement: FileReplacement?
    /// What the file holds is thrown away with the first byte that comes.
    private var mustTruncate: Bool
    /// Where in the file the first byte went.
    private let startOffset: Int64
    private var isClosed = false
    private var failure: SinkError?

    /// What waits to be written, in order: the caller's memory, and stretches of `gathered`.
    private var vectors: [iovec] = []
    private let gathered = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    /// The stretch of `gathered` that is not in `vectors` yet.
    private var pendingRun = 0..<0

    /// Pieces below this many bytes are copied together.
    private static let copyThreshold = 1024
    /// Vectors that one system call takes (Linux's UIO_MAXIOV), less one for the last stretch.
    private static let maximumVectors = 1023

    /// Creates or empties the file at `path`; "-" is standard output, which is left open afterwards. Opening
    /// a named pipe waits for its reader.
    public convenience init(path: String) throws(SinkError) {
        if path == "-" {
            self.init(descriptor: STDOUT_FILENO, path: "standard output", closesDescriptor: false)
            return
        }
        self.init(
            descriptor: try openForWriting(path, O_CREAT | O_TRUNC),
            path: path,
            closesDescriptor: true
        )
    }

    /// As `init(path:)`, but what lies at `path` stays as it is until there is something to put in its place:
    /// a regular file is written beside, as "NAME.XXXXXX.part", and takes the name when it is closed. Without a
    /// byte written nothing is made or changed. When the host dies, the part stays beside.
    ///
    /// A link stays a link. What a new file could not stand in for (other hard links, another owner, a folder
    /// that cannot be written to) is emptied with the first byte and written in place. Throws at once what
    /// stands against writing there.
    public convenience init(replacing path: String) throws(SinkError) {
        guard path != "-" else {
            try self.init(path: path)
            return
        }
        if let file = try FileReplacement(path: path) {
            self.init(descriptor: -1, path: path, closesDescriptor: true, replacement: file)
        } else {
            self.init(
                descriptor: try openForWriting(path, O_CREAT),
                path: path,
                closesDescriptor: true,
                truncatesFirst: true
            )
        }
    }

    /// Appends to an open file descriptor and closes it at the end. `name` is for error messages.
    public convenience init(owning descriptor: Int32, name: String) {
        self.init(descriptor: descriptor, path: name, closesDescriptor: true)
    }

    private init(
        descriptor: Int32,
        path: String,
        closesDescriptor: Bool,
        replacement: FileReplacement? = nil,
        truncatesFirst: Bool = false
    ) {
        self.descriptor = descriptor
        self.path = path
        self.closesDescriptor = closesDescriptor
        self.replacement = replacement
        guard replacement == nil else {
            (raisesPipeSignal, mustTruncate, startOffset, isRewritable) = (false, false, 0, true)
            return
        }
        var status = stat()
        let kind = fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : 0
        mustTruncate = truncatesFirst && kind == S_IFREG
        raisesPipeSignal = kind == S_IFIFO || kind == S_IFSOCK
        startOffset = Int64(lseek(descriptor, 0, SEEK_CUR))
        isRewritable = kind == S_IFREG && startOffset >= 0 && fcntl(descriptor, F_GETFL) & O_APPEND == 0
    }

    deinit {
        if closesDescriptor, !isClosed, descriptor >= 0 { _ = Glibc.close(descriptor) }
        gathered.deallocate()
    }

    /// Takes a copy, or writes them before it returns, so the memory may be used again. May wait for a
    /// reader.
    public func write(_ bytes: UnsafeRawBufferPointer) throws(SinkError) {
        try append(bytes)
        if !vectors.isEmpty { try flush() }
    }

    /// Appends the bytes. May wait for a reader.
    public func write(_ bytes: [UInt8]) throws(SinkError) {
        try bytes.withUnsafeBufferPointer { (bytes) throws(SinkError) in
            try write(UnsafeRawBufferPointer(bytes))
        }
    }

    /// Appends the text as UTF-8. May wait for a reader.
    public func write(_ text: String) throws(SinkError) {
        try write(Array(text.utf8))
    }

    /// Hands everything to the system.
    public func flush() throws(SinkError) {
        if let failure { throw failure }
        do {
            closeRun()
            try writeVectors()
        } catch {
            failure = error
            throw error
        }
        vectors.removeAll(keepingCapacity: true)
        pendingRun = 0..<0
    }

    /// Overwrites what was written `offset` bytes after the first.
    public func rewrite(at offset: Int64, _ bytes: [UInt8]) throws(SinkError) {
        guard isRewritable else { throw .outOfOrder("\(path) cannot be written at an earlier place") }
        try flush()
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { bytes in
                let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
                return pwrite(descriptor, rest.baseAddress, rest.count, off_t(startOffset + offset) + done)
            }
            if count < 0, errno != EINTR { throw systemError("write to") }
            done += max(0, count)
        }
    }

    /// Writes what is left, closes, and gives the file its name; the first time only. Throws what keeps the bytes from their place.
    public func close() throws(SinkError) {
        guard !isClosed else { return }
        isClosed = true
        defer { failure = failure ?? .outOfOrder("\(path) is closed") }
        let earlier = failure
        var problem: SinkError?
        if earlier == nil {
            do { try flush() } catch { problem = error }
        }
        guard descriptor >= 0 else {
            if let problem { throw problem }
            return
        }
        // After EINTR Linux has closed it all the same.
        if closesDescriptor, Glibc.close(descriptor) != 0, errno != EINTR, earlier == nil, problem == nil {
            problem = systemError("close")
        }
        // What was written before an error is kept, too.
        do { try replacement?.commit() } catch { problem = problem ?? error }
        if let problem { throw problem }
    }

    /// Before the first byte.
    fileprivate func begin() throws(SinkError) {
        if descriptor < 0, replacement != nil, let opened = try replacement?.open() { descriptor = opened }
        guard mustTruncate else { return }
        mustTruncate = false
        if ftruncate(descriptor, 0) != 0 { throw systemError("empty") }
    }

    /// Queues `bytes`. Large ones are not copied: they must stay where they are until `flush`.
    func append(_ bytes: UnsafeRawBufferPointer) throws(SinkError) {
        if let failure { throw failure }
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
        byteCount += Int64(bytes.count)
        if bytes.count < Self.copyThreshold {
            if bytes.count > gathered.count - pendingRun.upperBound { try flush() }
            let free = UnsafeMutableRawBufferPointer(rebasing: gathered[pendingRun.upperBound...])
            free.copyMemory(from: bytes)
            pendingRun = pendingRun.lowerBound..<pendingRun.upperBound + bytes.count
        } else {
            closeRun()
            vectors.append(iovec(iov_base: UnsafeMutableRawPointer(mutating: start), iov_len: bytes.count))
        }
        if vectors.count >= Self.maximumVectors { try flush() }
    }

    private func closeRun() {
        guard !pendingRun.isEmpty, let base = gathered.baseAddress else { return }
        vectors.append(iovec(iov_base: base + pendingRun.lowerBound, iov_len: pendingRun.count))
        pendingRun = pendingRun.upperBound..<pendingRun.upperBound
    }

    private func systemError(_ operation: String) -> SinkError {
        let code = errno
        return code == EPIPE ? .closedPipe(path: path) : .system(operation: operation, path: path, code: code)
    }
}

extension ByteOutput {
    /// Writes all of `vectors`; the system may take them in parts.
    private func writeVectors() throws(SinkError) {
        guard !vectors.isEmpty else { return }
        try begin()
        var first = 0
        while first < vectors.count {
            let count = vectors.withUnsafeBufferPointer { vectors in
                let rest = UnsafeBufferPointer(rebasing: vectors[first...])
                return raisesPipeSignal
                    ? withoutPipeSignal { writev(descriptor, rest.baseAddress, Int32(rest.count)) }
                    : writev(descriptor, rest.baseAddress, Int32(rest.count))
            }
            if count < 0 {
                if errno == EINTR { continue }
                guard errno == EAGAIN else { throw systemError("write to") }
                // Somebody made it non-blocking, which all that share the open file then see.
                var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&waiting, 1, -1)
                continue
            }
            var rest = count
            while first < vectors.count, rest >= vectors[first].iov_len {
                rest -= vectors[first].iov_len
                first += 1
            }
            if rest > 0 {
                vectors[first].iov_base += rest
                vectors[first].iov_len -= rest
            }
        }
    }
}

/// Calls `body` with SIGPIPE held back from this thread; one that `body` raised is taken off. `errno` is as
/// `body` left it.
private func withoutPipeSignal(_ body: () -> Int) -> Int {
    var pipe = sigset_t()
    var before = sigset_t()
    var waiting = sigset_t()
    sigemptyset(&pipe)
    sigaddset(&pipe, SIGPIPE)
    sigpending(&waiting)
    let wasWaiting = sigismember(&waiting, SIGPIPE) == 1
    guard pthread_sigmask(SIG_BLOCK, &pipe, &before) == 0 else { return body() }
    let result = body()
    let code = errno
    if result < 0, code == EPIPE, !wasWaiting {
        var now = timespec(tv_sec: 0, tv_nsec: 0)
        while sigtimedwait(&pipe, nil, &now) < 0, errno == EINTR {}
    }
    pthread_sigmask(SIG_SETMASK, &before, nil)
    errno = code
    return result
}
