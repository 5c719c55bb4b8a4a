import Synchronization

/// The file of an input, and its identity when it was opened. The methods may take as long as the file system does.
final class OpenedFile: Sendable {
    private let path: String
    private let identity = Mutex<FileIdentity?>(nil)

    init(path: String) { self.path = path }

    /// Stores the identity of the file, which has been opened.
    func noteIdentity() {
        let found = FileIdentity(path: path)
        identity.withLock { $0 = found }
    }

    /// Returns whether the path still names the same file, which has become shorter.
    ///
    /// - Parameter byteCount: The size of the file when it was opened.
    func isShorter(than byteCount: Int64) -> Bool {
        guard let opened = identity.withLock({ $0 }), opened == FileIdentity(path: path),
            let size = FileIdentity.byteCount(path: path)
        else { return false }
        return size < byteCount
    }
}
