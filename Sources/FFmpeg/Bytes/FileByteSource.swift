internal import Glibc
package import MediaCore
internal import Synchronization

/// A regular file, read by offset, so that readers do not affect each other.
package final class FileByteSource: ByteSource {
    private let descriptor: Int32
    private let path: String
    private let isCancelled = Atomic<Bool>(false)
    package let byteCount: Int64?
    package var isSeekable: Bool { true }

    /// Opens a file. Throws an error for a folder, a device or a missing file.
    package init(path: String) throws(MediaError) {
        // O_NONBLOCK prevents blocking on a named pipe without a writer. It has no effect on files.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw FileByteSource.failure(errno, "cannot open the file", path) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let code = errno
            close(descriptor)
            throw FileByteSource.failure(code, "cannot examine the file", path)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            let isFolder = status.st_mode & S_IFMT == S_IFDIR
            let what = isFolder ? "is a folder, not a file" : "not a regular file"
            throw MediaError(.io, what, location: path, underlyingCode: isFolder ? EISDIR : EINVAL)
        }
        self.descriptor = descriptor
        self.path = path
        self.byteCount = Int64(status.st_size)
    }

    deinit { close(descriptor) }

    package func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int
    {
        guard let base = buffer.baseAddress, !buffer.isEmpty, offset >= 0 else { return 0 }
        while true {
            if isCancelled.load(ordering: .acquiring) { throw LibraryError.cancelled(path) }
            let count = pread(descriptor, base, buffer.count, off_t(offset))
            if count >= 0 { return count }
            if errno != EINTR { throw FileByteSource.failure(errno, "cannot read the file", path) }
        }
    }

    /// Reads bytes. A file never waits for data, so the read cannot be interrupted.
    package func read(
        at offset: Int64,
        into buffer: UnsafeMutableRawBufferPointer,
        context: ReadContext
    ) throws(MediaError) -> Int {
        try read(at: offset, into: buffer)
    }

    package func cancel() { isCancelled.store(true, ordering: .releasing) }

    static func failure(_ code: Int32, _ doing: String, _ path: String) -> MediaError {
        let kind = MediaError.Code(systemCode: code)
        let reason = String(cString: strerror(code))
        return MediaError(
            kind,
            "\(doing): \(reason)",
            location: path,
            underlyingCode: code,
            isRetryable: kind == .io || kind == .resourceLimit
        )
    }
}
