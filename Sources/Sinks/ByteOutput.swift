internal import FoundationEssentials
internal import Glibc
public import MediaCore

/// A file, or standard output, that bytes are appended to.
///
/// Small pieces are collected in a buffer. Large ones are passed to the system without a copy. After an error, every
/// later write throws the same error. The class is not thread-safe: use it from one thread at a time.
///
/// If the reader of a pipe or socket is closed, writes throw an error with the code `.brokenPipe`, whatever the process
/// does about SIGPIPE. The signal is blocked for the writing thread during the write, and consumed. The signal's disposition is
/// not changed.
public final class ByteOutput {
    /// The path of the file, or a name for messages; "standard output" for "-".
    public let path: String
    /// A Boolean value that indicates whether written bytes can be overwritten: true for a regular file that is not
    /// opened for appending only.
    public let isRewritable: Bool
    /// The number of bytes accepted so far, including buffered ones.
    public private(set) var byteCount: Int64 = 0
    /// Whether the file had content when the output was created, which the first byte replaces.
    package let replacesContent: Bool

    /// The file descriptor; -1 until the first byte of a file that is renamed when it is closed.
    private var descriptor: Int32
    private let closesDescriptor: Bool
    private let raisesPipeSignal: Bool
    private var replacement: FileReplacement?
    /// Whether the first byte replaces the content of the file.
    private var mustTruncate: Bool
    /// The offset in the file of the first written byte.
    private let startOffset: Int64
    private var isClosed = false
    private var failure: PlaybackError?
    /// The URL of the file; nil for standard output and a descriptor of the caller.
    private let url: URL?

    /// The pieces to write, in order: the caller's memory, and runs of `gathered`.
    private var vectors: [iovec] = []
    private let gathered = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    /// The run of `gathered` that is not in `vectors` yet.
    private var pendingRun = 0..<0

    /// The size in bytes below which pieces are copied into the buffer.
    private static let copyThreshold = 1024
    /// The number of pieces that one system call accepts (Linux's UIO_MAXIOV), minus one for the last run.
    private static let maximumVectors = 1023

    /// Creates a file, or empties an existing one.
    ///
    /// - Parameter path: The path of the file; "-" is standard output, which stays open afterwards. Opening a named
    ///   pipe blocks until it has a reader.
    /// - Throws: `PlaybackError` with the code `.notFound`, `.permissionDenied` or `.io` if the file cannot be opened.
    public convenience init(path: String) throws(PlaybackError) {
        if path == "-" {
            self.init(descriptor: STDOUT_FILENO, path: "standard output", url: nil, closesDescriptor: false)
            return
        }
        self.init(
            descriptor: try openForWriting(path, O_CREAT | O_TRUNC),
            path: path,
            url: URL(sinkPath: path),
            closesDescriptor: true
        )
    }

    /// Replaces a file atomically when the output is closed.
    ///
    /// The existing file stays unchanged until then: a regular file is written beside it as "NAME.XXXXXX.part", and
    /// renamed in `close()`. If no byte is written, nothing is created or changed. If the process crashes, the part
    /// file stays. Symbolic links are followed and stay links.
    ///
    /// If a new file cannot replace the existing one (it has other hard links or another owner, or its folder is
    /// not writable), the existing file is emptied at the first byte and written in place.
    ///
    /// - Parameter path: The path of the file; "-" is standard output, which stays open afterwards.
    /// - Throws: `PlaybackError` with the code `.notFound`, `.permissionDenied` or `.io` if the path cannot be written.
    public convenience init(replacing path: String) throws(PlaybackError) {
        guard path != "-" else {
            try self.init(path: path)
            return
        }
        if let file = try FileReplacement(path: path) {
            self.init(
                descriptor: -1,
                path: path,
                url: URL(sinkPath: path),
                closesDescriptor: true,
                replacement: file
            )
        } else {
            self.init(
                descriptor: try openForWriting(path, O_CREAT),
                path: path,
                url: URL(sinkPath: path),
                closesDescriptor: true,
                truncatesFirst: true
            )
        }
    }

    /// Appends to an open file descriptor, which is closed at the end.
    ///
    /// - Parameters:
    ///   - descriptor: The file descriptor.
    ///   - name: The name for error messages.
    public convenience init(owning descriptor: Int32, name: String) {
        self.init(descriptor: descriptor, path: name, url: nil, closesDescriptor: true)
    }

    private init(
        descriptor: Int32,
        path: String,
        url: URL?,
        closesDescriptor: Bool,
        replacement: FileReplacement? = nil,
        truncatesFirst: Bool = false
    ) {
        self.descriptor = descriptor
        self.path = path
        self.url = url
        self.closesDescriptor = closesDescriptor
        self.replacement = replacement
        guard replacement == nil else {
            replacesContent = replacement?.replacesContent ?? false
            (raisesPipeSignal, mustTruncate, startOffset, isRewritable) = (false, false, 0, true)
            return
        }
        var status = stat()
        let kind = fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : 0
        mustTruncate = truncatesFirst && kind == S_IFREG
        replacesContent = mustTruncate && status.st_size > 0
        raisesPipeSignal = kind == S_IFIFO || kind == S_IFSOCK
        startOffset = Int64(lseek(descriptor, 0, SEEK_CUR))
        isRewritable = kind == S_IFREG && startOffset >= 0 && fcntl(descriptor, F_GETFL) & O_APPEND == 0
    }

    deinit {
        if closesDescriptor, !isClosed, descriptor >= 0 { _ = Glibc.close(descriptor) }
        gathered.deallocate()
    }

    /// Appends bytes. The memory may be reused after the call. May block until a reader accepts them.
    ///
    /// - Parameter bytes: The bytes to append.
    /// - Throws: `PlaybackError`, the same one for every call after the first failure: `.brokenPipe`, `.diskFull` or
    ///   another kind.
    public func write(_ bytes: UnsafeRawBufferPointer) throws(PlaybackError) {
        try append(bytes)
        if !vectors.isEmpty { try flush() }
    }

    /// Appends bytes. May block until a reader accepts them.
    ///
    /// - Parameter bytes: The bytes to append.
    /// - Throws: `PlaybackError`, the same one for every call after the first failure: `.brokenPipe`, `.diskFull` or
    ///   another kind.
    public func write(_ bytes: [UInt8]) throws(PlaybackError) {
        try bytes.withUnsafeBufferPointer { (bytes) throws(PlaybackError) in
            try write(UnsafeRawBufferPointer(bytes))
        }
    }

    /// Appends a text in UTF-8. May block until a reader accepts it.
    ///
    /// - Parameter text: The text to append.
    /// - Throws: `PlaybackError`, the same one for every call after the first failure: `.brokenPipe`, `.diskFull` or
    ///   another kind.
    public func write(_ text: String) throws(PlaybackError) {
        try write(Array(text.utf8))
    }

    /// Passes all buffered bytes to the system.
    ///
    /// - Throws: `PlaybackError`, the same one for every call after the first failure: `.brokenPipe`, `.diskFull` or
    ///   another kind.
    public func flush() throws(PlaybackError) {
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

    /// Completes the file as it is at present: writes the buffered bytes, and gives a file that replaces another one its
    /// name. More bytes may be written afterwards; they are appended to the same file.
    ///
    /// - Throws: `PlaybackError` if bytes could not be written, or the file could not be renamed.
    public func synchronize() throws(PlaybackError) {
        try flush()
        do {
            try replacement?.commit()
        } catch {
            failure = error
            throw error
        }
    }

    /// Overwrites bytes that were written earlier.
    ///
    /// - Parameters:
    ///   - offset: The number of bytes after the first written byte.
    ///   - bytes: The bytes to write there.
    /// - Throws: `PlaybackError` with the code `.operationNotAllowed` if the output is not rewritable, or another one if
    ///   the write fails.
    public func rewrite(at offset: Int64, _ bytes: [UInt8]) throws(PlaybackError) {
        guard isRewritable else { throw error(.operationNotAllowed, "\(path) does not support rewriting") }
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

    /// Writes the remaining bytes, closes the output and gives the file its name. If a write has failed, a file that existed
    /// keeps its content. Only the first call has an effect.
    ///
    /// - Throws: `PlaybackError` if bytes could not be written, or the file could not be renamed.
    public func close() throws(PlaybackError) { try close(isComplete: true) }

    /// Closes the output as `close()` does.
    ///
    /// - Parameter isComplete: Whether the writer has not failed, which the output does not know of all of its errors.
    func close(isComplete: Bool) throws(PlaybackError) {
        guard !isClosed else { return }
        isClosed = true
        defer { failure = failure ?? error(.operationNotAllowed, "\(path) is already closed") }
        let earlier = failure
        var problem: PlaybackError?
        if earlier == nil {
            do { try flush() } catch { problem = error }
        }
        guard descriptor >= 0 else {
            if let problem { throw problem }
            return
        }
        // Linux closes the descriptor even after EINTR.
        if closesDescriptor, Glibc.close(descriptor) != 0, errno != EINTR, earlier == nil, problem == nil {
            problem = systemError("close")
        }
        if isComplete && earlier == nil && problem == nil || !replacesContent {
            // In a new file, the bytes before an error are kept.
            do { try replacement?.commit() } catch { problem = problem ?? error }
        } else {
            replacement?.discard()
        }
        if let problem { throw problem }
    }

    /// Closes the output without completing it, after an error: a file that was to be replaced keeps its content, and
    /// the part file is removed. Bytes that were written in place, or to a pipe, remain written. Has no effect after
    /// `close()`.
    public func discard() {
        guard !isClosed else { return }
        isClosed = true
        failure = failure ?? error(.operationNotAllowed, "\(path) is already closed")
        if closesDescriptor, descriptor >= 0 { _ = Glibc.close(descriptor) }
        replacement?.discard()
    }

    /// Writes a whole file as an output with `init(replacing:)` does. If that fails, nothing is created or changed.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - bytes: Returns the content, once the path has been checked.
    /// - Returns: The closed output.
    package static func write(
        replacing path: String,
        _ bytes: () throws(PlaybackError) -> [UInt8]
    ) throws(PlaybackError) -> ByteOutput {
        let output = try ByteOutput(replacing: path)
        do throws(PlaybackError) {
            try output.write(try bytes())
            // Closing would keep what was written before an error.
            try output.flush()
            try output.close()
        } catch {
            output.discard()
            throw error
        }
        return output
    }

    /// Prepares the file for its first byte.
    fileprivate func begin() throws(PlaybackError) {
        if descriptor < 0, replacement != nil, let opened = try replacement?.open() { descriptor = opened }
        guard mustTruncate else { return }
        mustTruncate = false
        if ftruncate(descriptor, 0) != 0 { throw systemError("empty") }
    }

    /// Queues bytes. Large pieces are not copied, so they must stay valid until `flush`.
    func append(_ bytes: UnsafeRawBufferPointer) throws(PlaybackError) {
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

    /// Returns an error of the file that the system did not report.
    func error(_ code: PlaybackError.Code, _ message: String) -> PlaybackError {
        PlaybackError(code: code, message: message, url: url)
    }

    private func systemError(_ operation: String) -> PlaybackError {
        let code = errno
        var error = PlaybackError(systemCode: code, "cannot \(operation) \(path)", url: url)
        if code == EPIPE { error.message = "\(path): broken pipe (the reader is closed)" }
        return error
    }
}

extension URL {
    /// Creates the URL of a file that a sink writes.
    init(sinkPath path: String) { self.init(fileURLWithPath: path, isDirectory: false) }
}

extension ByteOutput {
    /// Writes all pieces in `vectors`. The system may accept them in parts.
    private func writeVectors() throws(PlaybackError) {
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
                // The descriptor is non-blocking. That setting belongs to the open file, which other processes may
                // share.
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

/// Calls `body` with SIGPIPE blocked for this thread, and consumes a signal that `body` raised. `errno` keeps the
/// value that `body` set.
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
