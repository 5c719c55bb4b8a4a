import Glibc

/// The folder of `--media-folder`: the only files that clients of the HTTP interface can play.
struct MediaFolder: Sendable {
    /// The path without symbolic links.
    let path: String

    /// Returns nil if `path` is not a folder.
    init?(_ path: String) {
        var status = stat()
        guard let real = Self.resolve(path), stat(real, &status) == 0, status.st_mode & S_IFMT == S_IFDIR
        else {
            return nil
        }
        self.path = real
    }

    /// Returns the path of a file in the folder, without symbolic links.
    ///
    /// - Parameter item: The path relative to the folder.
    /// - Throws: `.forbidden` if it is outside, `.notFound` if there is no such regular file.
    func file(_ item: String) throws(HTTPStatus) -> String {
        guard !item.isEmpty, !item.utf8.contains(0) else { throw .badRequest }
        guard !item.hasPrefix("/"), !item.split(separator: "/").contains("..") else { throw .forbidden }
        guard let real = Self.resolve(path + "/" + item) else { throw .notFound }
        let prefix = path == "/" ? path : path + "/"
        // Links within the folder may lead outside.
        guard real.utf8.starts(with: prefix.utf8) else { throw .forbidden }
        var status = stat()
        guard stat(real, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw .notFound }
        return real
    }

    private static func resolve(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(validatingCString: real)
    }
}
