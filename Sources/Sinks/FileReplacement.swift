internal import FoundationEssentials
internal import Glibc
internal import MediaCore

/// A regular file that is written beside an existing one, and replaces it once it is complete.
struct FileReplacement {
    /// The path given by the caller, for messages.
    private let path: String
    /// The path to replace, with symbolic links resolved.
    private let target: String
    /// The permissions of the existing file; nil if there is none.
    private let mode: mode_t?
    /// The path of the part file, from its creation until it is renamed; otherwise nil.
    private var partPath: String?
    /// Whether there is a file, and it is not empty.
    let replacesContent: Bool

    /// Checks whether the file can be replaced. Creates nothing.
    ///
    /// Returns nil if a new file cannot replace the existing one. Throws if the path cannot be written.
    init?(path: String) throws(PlaybackError) {
        guard let resolved = ResolvedPath(path) else { return nil }
        self.path = path
        target = resolved.folder + "/" + resolved.name
        var folder = stat()
        guard stat(resolved.folder, &folder) == 0 else { return nil }
        var old = stat()
        guard stat(target, &old) == 0 else {
            mode = nil
            replacesContent = false
            // Only the final name may be too long. The part file has a shorter one.
            guard errno != ENAMETOOLONG,
                faccessat(AT_FDCWD, resolved.folder, W_OK | X_OK, AT_EACCESS) == 0
            else { throw PlaybackError(creating: path) }
            return
        }
        guard old.st_mode & S_IFMT == S_IFREG else { return nil }
        // Without permission to write to the file, replacing it is not permitted either.
        let descriptor = try openForWriting(path, 0)
        close(descriptor)
        mode = old.st_mode & 0o7777
        replacesContent = old.st_size > 0
        let hasOneLink = old.st_nlink == 1 && old.st_dev == folder.st_dev
        let isOwned = old.st_uid == geteuid()
        let folderIsWritable = faccessat(AT_FDCWD, resolved.folder, W_OK | X_OK, AT_EACCESS) == 0
        guard hasOneLink, isOwned, folderIsWritable else { return nil }
    }

    /// Creates the part file and returns its descriptor.
    mutating func open() throws(PlaybackError) -> Int32 {
        let nameStart = target.fileNameStart ?? target.startIndex
        let (folder, name) = (target[..<nameStart], target[nameStart...])
        // A file name has at most 255 bytes. A character may have any number of them, a scalar at most four.
        let stem = name.utf8.count > 230 ? String(name.unicodeScalars.prefix(50)) : String(name)
        while true {
            let digits = String(UInt32.random(in: 0x10_0000...0xFF_FFFF), radix: 16)
            let partPath = "\(folder)\(stem).\(digits).part"
            let descriptor = Glibc.open(partPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            if descriptor >= 0 {
                if let mode { fchmod(descriptor, mode) }
                self.partPath = partPath
                return descriptor
            }
            guard errno == EEXIST || errno == EINTR else {
                throw PlaybackError(creating: path)
            }
        }
    }

    /// Removes the part file, after it has been closed. Has no effect after `commit()`.
    mutating func discard() {
        if let partPath { unlink(partPath) }
        partPath = nil
    }

    /// Renames the part file, after it has been closed. Only the first call has an effect.
    mutating func commit() throws(PlaybackError) {
        guard let partPath else { return }
        self.partPath = nil
        guard rename(partPath, target) == 0 else {
            throw PlaybackError(
                systemCode: errno,
                "cannot rename \(partPath) to \(path)",
                url: URL(sinkPath: path)
            )
        }
    }
}

/// A folder with symbolic links resolved, and the name of an entry that is not a symbolic link.
private struct ResolvedPath {
    let folder: String
    let name: String

    /// Resolves a path. Returns nil if the folder does not exist, and for file descriptors of a process
    /// ("/dev/stdout").
    init?(_ path: String) {
        var path = path
        for _ in 0..<40 {
            let nameStart = path.fileNameStart
            let name = path[(nameStart ?? path.startIndex)...]
            guard !name.isEmpty, name != ".", name != ".." else { return nil }
            let folder = nameStart.map { String(path[..<$0]) } ?? "."
            guard let resolved = realpath(folder, nil) else { return nil }
            defer { free(resolved) }
            let real = String(cString: resolved)
            if real == "/proc" || real.hasPrefix("/proc/") { return nil }
            let whole = real + "/" + name
            var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
            let count = readlink(whole, &buffer, buffer.count - 1)
            guard count > 0 else {
                self.folder = real
                self.name = String(name)
                return
            }
            let link = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            path = link.hasPrefix("/") ? link : real + "/" + link
        }
        return nil
    }
}

/// Opens a path for writing only, with additional flags.
func openForWriting(_ path: String, _ flags: Int32) throws(PlaybackError) -> Int32 {
    var descriptor: Int32
    repeat {
        descriptor = open(path, O_WRONLY | O_CLOEXEC | flags, 0o666)
    } while descriptor < 0 && errno == EINTR
    guard descriptor >= 0 else { throw PlaybackError(creating: path) }
    return descriptor
}

extension PlaybackError {
    /// Creates the error of a file that could not be created, from `errno`.
    package init(creating path: String) {
        self.init(systemCode: errno, "cannot create \(path)", url: URL(sinkPath: path))
    }
}
