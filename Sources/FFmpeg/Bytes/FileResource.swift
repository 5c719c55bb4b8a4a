internal import FoundationEssentials
internal import Glibc
package import MediaCore

/// A local file that can refer to other files in its folder: a local playlist, and the files that it refers to.
///
/// The folder is that of the first file, after links have been resolved. A reference is a path or a `file` URL. It is
/// refused if it leads outside of the folder, also through "..", and links. The file is opened by the first read.
package final class FileResource: ResourceByteSource {
    /// The folder that all references must stay in. The files of a presentation share one instance.
    private final class Folder: Sendable {
        private let playlistPath: String
        private let resolved = Locked<String?>(nil)

        init(ofPlaylist path: String) { playlistPath = path }

        /// Returns the path of the folder without links, or nil if the playlist does not exist.
        var path: String? {
            resolved.withLock { resolved in
                if resolved == nil, let path = FileResource.resolve(playlistPath) {
                    resolved = path.parentPath
                }
                return resolved
            }
        }
    }

    package let location: String
    private let folder: Folder
    /// Whether another file refers to this one, so that it must be in the folder.
    private let isReferenced: Bool
    private let file = Locked<FileByteSource?>(nil)

    /// Creates a source without performing I/O.
    ///
    /// - Parameter location: A path or a `file` URL. The files that it refers to must be in its folder.
    package convenience init(location: String) {
        let path = if case .file(let path)? = try? Location(location) { path } else { location }
        self.init(location: location, Folder(ofPlaylist: path), isReferenced: false)
    }

    private init(location: String, _ folder: Folder, isReferenced: Bool) {
        self.location = location
        self.folder = folder
        self.isReferenced = isReferenced
    }
    package var byteCount: Int64? { file.withLock { $0 }?.byteCount }
    package var isSeekable: Bool { true }
    package var isFile: Bool { true }
    package var receivedBytes: Int64 { 0 }
    package var isReusable: Bool { true }
    package var now: Int64 { SystemClock().now.nanoseconds }

    package func openReferenced(_ reference: String, cachePolicy: CachePolicy, validatedAfter: Int64)
        throws(MediaError) -> any ResourceByteSource
    {
        FileResource(location: reference, folder, isReferenced: true)
    }

    package func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int
    {
        try openFile().read(at: offset, into: buffer)
    }

    /// Reads bytes. A file never waits for data, so the read cannot be interrupted.
    package func read(
        at offset: Int64,
        into buffer: UnsafeMutableRawBufferPointer,
        context: ReadContext
    ) throws(MediaError) -> Int {
        try read(at: offset, into: buffer)
    }

    /// Returns the open file. The first call opens it.
    private func openFile() throws(MediaError) -> FileByteSource {
        if let file = file.withLock({ $0 }) { return file }
        let opened = try FileByteSource(path: try allowedPath())
        file.withLock { $0 = opened }
        return opened
    }

    /// Returns the path to open.
    ///
    /// - Throws: `MediaError` if the location is not a path or a `file` URL, or if the file must be in the folder of
    ///   the playlist and is not.
    private func allowedPath() throws(MediaError) -> String {
        guard case .file(let path) = try Location(location) else {
            throw MediaError(
                .forbidden,
                "playlist entry rejected: only files are allowed",
                location: location
            )
        }
        guard isReferenced else { return path }
        // Muxers write file names as they are, and the RFC requires percent-encoding.
        let found = Self.resolve(path) ?? path.percentDecoded.flatMap(Self.resolve)
        guard let found, let folder = folder.path else {
            throw MediaError(.notFound, "file of the playlist not found", location: path)
        }
        // Bytes are compared: strings are equal if they differ only in their Unicode normalization.
        guard found.utf8.starts(with: "\(folder)/".utf8) else {
            throw MediaError(
                .forbidden,
                "playlist entry rejected: the file is outside the playlist's folder",
                location: path
            )
        }
        return found
    }

    /// Returns a path without links, "." and "..", or nil if there is no file.
    private static func resolve(_ path: String) -> String? {
        guard !path.utf8.contains(0), let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    package func removeReader(_ context: ReadContext) {}
    package func setVolatile() {}
    /// Wakes the reader at once, because a file has nothing to wait for.
    package func wake(_ context: ReadContext, after delay: Int64) { context.wake() }
    package func cancel() {}
}
