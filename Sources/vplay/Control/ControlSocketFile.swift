import FoundationEssentials
import Glibc

/// A Unix socket that listens, and its file with the mode 0600.
struct ControlSocketFile: Sendable {
    let descriptor: Int32
    private let path: String
    private let inode: ino_t
    private let device: dev_t

    /// Creates the socket. A socket on which nobody listens any more is replaced.
    ///
    /// - Throws: `ControlSocketError` if the socket cannot be created, or another process listens on it.
    init(_ path: String) throws(ControlSocketError) {
        self.path = path
        try Self.refuse(path, try Self.address(path))
        let descriptor = try Self.makeSocket(path)
        do throws(ControlSocketError) {
            let status = try Self.listen(descriptor, path)
            self.descriptor = descriptor
            inode = status.st_ino
            device = status.st_dev
        } catch {
            Glibc.close(descriptor)
            throw error
        }
    }

    /// Removes the file, unless another process has replaced it.
    func remove() {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_ino == inode, status.st_dev == device else { return }
        unlink(path)
    }

    private static func makeSocket(_ path: String) throws(ControlSocketError) -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { throw ControlSocketError(path, errno) }
        return descriptor
    }

    /// Binds the socket under a temporary name, listens, and renames it: renaming a socket that is already private
    /// leaves no moment in which others can connect, and none in which nobody listens.
    private static func listen(_ descriptor: Int32, _ path: String) throws(ControlSocketError) -> stat {
        let opened = open(path.folderPath ?? ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { throw ControlSocketError(path, errno) }
        defer { Glibc.close(opened) }
        // The name of the temporary file must fit into an address as well, whatever the length of the path.
        let temporary = "/proc/self/fd/\(opened)/.vplay-\(getpid())"
        var address = try address(temporary)
        unlink(temporary)
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) } == 0
        }
        var status = stat()
        guard isBound, chmod(temporary, 0o600) == 0, Glibc.listen(descriptor, 64) == 0,
            lstat(temporary, &status) == 0, rename(temporary, path) == 0
        else {
            let error = ControlSocketError(path, errno)
            if isBound { unlink(temporary) }
            throw error
        }
        return status
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
        let descriptor = try makeSocket(path)
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
