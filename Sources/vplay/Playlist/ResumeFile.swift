import FoundationEssentials
import Glibc
import PlayheadCore

/// The file of `--resume`. It is replaced as a whole, so that it is never incomplete, even after a loss of power.
struct ResumeFile: Sendable {
    let path: String

    /// The result of reading the file.
    enum Contents: Equatable {
        case missing
        case state(ResumeState)
        /// Why the file is ignored.
        case ignored(String)
    }

    /// Creates the file of some arguments: `$XDG_STATE_HOME/vplay/resume-HASH.json`.
    ///
    /// - Parameters:
    ///   - arguments: The inputs as the user named them.
    ///   - folder: The current folder, to which they may be relative.
    ///   - environment: The environment of the process.
    init?(arguments: [String], folder: String, environment: [String: String]) {
        let state =
            environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? environment["HOME"].map { $0 + "/.local/state" }
        guard let state else { return nil }
        // FNV-1a, because the hashes of the standard library change with each run.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in ([folder] + arguments).joined(separator: "\u{0}").utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        path = "\(state)/vplay/resume-\(String(printf: "%016lx", hash)).json"
    }

    init(path: String) { self.path = path }

    private var folder: String { path.folderPath ?? "." }

    func read() -> Contents {
        var status = stat()
        guard stat(path, &status) == 0 else {
            return errno == ENOENT ? .missing : .ignored(String(cString: strerror(errno)))
        }
        // Opening a pipe would wait for its writer.
        guard status.st_mode & S_IFMT == S_IFREG else { return .ignored("not a regular file") }
        guard status.st_size > 0 else { return .missing }
        guard let file = fopen(path, "re") else { return .ignored(String(cString: strerror(errno))) }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let count = fread(&bytes, 1, bytes.count, file)
        guard let text = String(validating: bytes[..<count], as: UTF8.self), let state = ResumeState(text)
        else {
            return .ignored("damaged, or not a file of vplay")
        }
        return .state(state)
    }

    /// Whether there is something else under the path, which is neither replaced nor removed.
    private var isOccupied: Bool {
        if case .ignored = read() { true } else { false }
    }

    /// Writes a new file, and replaces the old one when the new one is on the disk.
    ///
    /// - Returns: An error code, or 0.
    func write(_ state: ResumeState) -> Int32 {
        if isOccupied { return EEXIST }
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            return EACCES
        }
        let part = path + ".part"
        let descriptor = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return errno }
        var code = writeFully(Array(state.text.utf8), to: descriptor)
        if code == 0, fsync(descriptor) != 0 { code = errno }
        close(descriptor)
        if code == 0, rename(part, path) != 0 { code = errno }
        if code != 0 { unlink(part) } else { synchronizeFolder() }
        return code
    }

    /// Removes the file, because everything was played.
    func remove() {
        guard !isOccupied, unlink(path) == 0 else { return }
        synchronizeFolder()
    }

    /// Waits until the name of the file is on the disk.
    private func synchronizeFolder() {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}
