import FoundationEssentials
import Glibc

/// The file of the play log: complete lines only, bounded by rotation, and intact after loss of power.
///
/// It is not thread-safe. All calls may block for as long as the disk does.
struct PlayLogFile: Sendable {
    typealias Write = @Sendable (Int32, UnsafeRawBufferPointer) -> Int

    let path: String
    /// The size beyond which the file is renamed to PATH.1.
    private let byteLimit: Int
    /// The number of older files: PATH.1 is the newest of them.
    private let olderFileCount: Int
    private let write: Write
    private var descriptor: Int32 = -1
    /// The number of bytes in complete lines.
    private var length = 0
    private(set) var needsSync = false

    /// Lines that were not synchronized may be damaged by loss of power. They are among the last ones.
    private static let checkedByteCount = 256 << 10
    /// A larger file was not written by the play log.
    private static let maximumByteCount = 256 << 20

    init(
        path: String,
        byteLimit: Int = 16 << 20,
        olderFileCount: Int = 4,
        write: @escaping Write = { Glibc.write($0, $1.baseAddress, $1.count) }
    ) {
        self.path = path
        self.byteLimit = byteLimit
        self.olderFileCount = olderFileCount
        self.write = write
    }

    /// Opens the file, and removes lines that are damaged.
    ///
    /// - Throws: `PlayLogError` if it cannot be opened, or another process writes to it.
    mutating func open() throws(PlayLogError) {
        while descriptor < 0 { try openOnce() }
    }

    /// Opens the file, unless a repaired one has replaced it.
    private mutating func openOnce() throws(PlayLogError) {
        let opened = Glibc.open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0o644)
        guard opened >= 0 else { throw PlayLogError(errno) }
        do throws(PlayLogError) {
            var status = stat()
            guard fstat(opened, &status) == 0 else { throw PlayLogError(errno) }
            guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
            // Two processes would remove each other's incomplete lines.
            guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
                throw errno == EWOULDBLOCK ? .inUse : PlayLogError(errno)
            }
            guard status.st_size <= Self.maximumByteCount else { throw .tooLarge }
            guard try Self.isLog(opened, Int(status.st_size)) else { throw .otherContents }
            guard let remaining = try repair(opened, Int(status.st_size)) else {
                Glibc.close(opened)
                return
            }
            length = remaining
        } catch {
            Glibc.close(opened)
            throw error
        }
        descriptor = opened
    }

    /// Appends a complete line. After an error nothing of it remains in the file.
    ///
    /// - Parameter line: The line with its end.
    /// - Throws: `PlayLogError` if it cannot be written.
    mutating func append(_ line: [UInt8]) throws(PlayLogError) {
        if descriptor >= 0, wasMoved { close() }
        try open()
        if length > 0, length + line.count > byteLimit { try rotate() }
        var written = 0
        while written < line.count {
            let count = line.withUnsafeBytes {
                write(descriptor, UnsafeRawBufferPointer(rebasing: $0[written...]))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let code = count < 0 ? errno : ENOSPC
                // A part of a line must not precede the next one. Opening the file again removes it, too.
                if written > 0, ftruncate(descriptor, off_t(length)) != 0 { close() }
                throw PlayLogError(code)
            }
            written += count
        }
        length += line.count
        needsSync = true
    }

    /// Waits until the lines are on the disk.
    mutating func sync() throws(PlayLogError) {
        guard needsSync, descriptor >= 0 else { return }
        needsSync = false
        guard fdatasync(descriptor) == 0 else { throw PlayLogError(errno) }
    }

    mutating func close() {
        guard descriptor >= 0 else { return }
        Glibc.close(descriptor)
        descriptor = -1
    }

    // MARK: Rotation

    /// Whether another program has renamed or removed the file, as logrotate does.
    private var wasMoved: Bool {
        var own = stat()
        var named = stat()
        guard fstat(descriptor, &own) == 0, stat(path, &named) == 0 else { return true }
        return own.st_ino != named.st_ino || own.st_dev != named.st_dev
    }

    private mutating func rotate() throws(PlayLogError) {
        try sync()
        for number in stride(from: olderFileCount, to: 1, by: -1) {
            // The older files exist only after as many rotations.
            guard rename("\(path).\(number - 1)", "\(path).\(number)") == 0 || errno == ENOENT else {
                throw PlayLogError(errno)
            }
        }
        guard rename(path, "\(path).1") == 0 else { throw PlayLogError(errno) }
        close()
        syncFolder()
        try open()
    }

    /// Makes renamed files permanent. Some file systems cannot, where a rename is permanent later.
    private func syncFolder() {
        let opened = Glibc.open(path.folderPath ?? ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { return }
        fsync(opened)
        Glibc.close(opened)
    }

    // MARK: Repair

    /// Removes lines that are incomplete or not JSON from the end of the file.
    ///
    /// - Returns: The number of bytes that remain, or nil if another file has replaced the open one.
    private func repair(_ descriptor: Int32, _ count: Int) throws(PlayLogError) -> Int? {
        guard count > 0 else { return 0 }
        let start = max(0, count - Self.checkedByteCount)
        let tail = try Self.read(descriptor, from: start, count: count - start)
        // The first line of the tail is checked only if it is known to begin there.
        let newline = UInt8(ascii: "\n")
        let head = start == 0 ? 0 : (tail.firstIndex(of: newline).map { $0 + 1 } ?? 0)
        var kept: [UInt8] = []
        var isContiguous = true
        var rest = tail[head...]
        while let end = rest.firstIndex(of: newline) {
            let line = rest[..<end]
            if Self.isComplete(line) {
                if kept.count != line.startIndex - head { isContiguous = false }
                kept += rest[...end]
            }
            rest = rest[(end + 1)...]
        }
        let length = start + head + kept.count
        guard length < count else { return count }
        guard isContiguous else {
            try replace(descriptor, head: start + head, tail: kept)
            return nil
        }
        guard ftruncate(descriptor, off_t(length)) == 0, fdatasync(descriptor) == 0 else {
            throw PlayLogError(errno)
        }
        return length
    }

    /// Whether a file begins as a play log: with a line, a part of one, or zeros in place of lines that a loss of power
    /// damaged. A file of another kind has no line that repair would keep.
    private static func isLog(_ descriptor: Int32, _ count: Int) throws(PlayLogError) -> Bool {
        let head = try read(descriptor, from: 0, count: min(count, 4096))
        return zip(head, #"{"begin":"#.utf8).allSatisfy { $0 == $1 } || head.allSatisfy { $0 == 0 }
    }

    private static func isComplete(_ line: ArraySlice<UInt8>) -> Bool {
        guard line.first == UInt8(ascii: "{"), line.last == UInt8(ascii: "}") else { return false }
        do {
            _ = try JSONDecoder().decode(JSONValue.self, from: Data(line))
            return true
        } catch {
            return false
        }
    }

    private static func read(_ descriptor: Int32, from start: Int, count: Int) throws(PlayLogError) -> [UInt8]
    {
        var bytes = [UInt8](repeating: 0, count: count)
        var position = 0
        while position < count {
            let got = bytes.withUnsafeMutableBytes {
                pread(
                    descriptor,
                    $0.baseAddress?.advanced(by: position),
                    count - position,
                    off_t(start + position)
                )
            }
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { throw PlayLogError(got < 0 ? errno : EIO) }
            position += got
        }
        return bytes
    }

    /// Replaces the file at once by one without the damaged lines in its middle.
    private func replace(_ descriptor: Int32, head: Int, tail: [UInt8]) throws(PlayLogError) {
        let bytes = try Self.read(descriptor, from: 0, count: head) + tail
        let temporary = "\(path).part"
        let opened = Glibc.open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard opened >= 0 else { throw PlayLogError(errno) }
        defer { Glibc.close(opened) }
        let code = writeFully(bytes, to: opened)
        guard code == 0, fsync(opened) == 0, rename(temporary, path) == 0 else {
            let reason = code == 0 ? errno : code
            unlink(temporary)
            throw PlayLogError(reason)
        }
        syncFolder()
    }
}
