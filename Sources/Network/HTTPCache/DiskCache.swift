internal import FFmpeg
public import Foundation
internal import MediaCore

/// Keeps what was fetched of http and https URLs in a folder, for players, still images and runs to come. Several processes may
/// use one folder.
///
/// What is kept is asked about once when it is opened again, by a request without a body: a resource that has changed is fetched
/// anew. Where the server cannot be reached, a resource that is there as a whole is played as it is. A server that gives neither an
/// ETag nor a date of its resource is read as without a cache.
///
/// Of a playlist that has an end (HLS) the segments that were played are kept, and the playlists themselves, but no keys. Of one
/// that grows nothing is kept.
///
/// Bytes have checksums: what a disk has changed is fetched again. A folder that cannot be written, and a disk that is full, cost the
/// cache and nothing else.
public struct DiskCache: Hashable, Sendable {
    /// A function that says what stands for a URL.
    private final class Key: Sendable {
        let body: @Sendable (URL) -> String

        init(_ body: @escaping @Sendable (URL) -> String) { self.body = body }
    }

    /// Made, for its user alone, when the first bytes are to be kept.
    public let directory: URL
    /// Of all that is kept there. Beyond it, what was used longest ago goes.
    public let maximumBytes: Int64
    private let key: Key?

    /// - Parameters:
    ///   - directory: A folder of this cache's own.
    ///   - maximumBytes: Of all that is kept there.
    ///   - key: What stands for a URL: two that it gives the same text for are one resource. So a link that expires is found again
    ///     without its signature. By default the whole URL, with the headers and the credentials that it is asked for with; where a
    ///     function is given, its text alone, and of what a playlist names its path as well: parts that
    ///     differ in their query alone need texts of their own. Called on any thread.
    public init(
        directory: URL,
        maximumBytes: Int64 = 1 << 30,
        key: (@Sendable (URL) -> String)? = nil
    ) {
        self.directory = directory
        self.maximumBytes = maximumBytes
        self.key = key.map(Key.init)
    }

    /// The same folder and limit; with keys of one's own, only what was copied from the same one.
    public static func == (one: DiskCache, other: DiskCache) -> Bool {
        one.path == other.path && one.maximumBytes == other.maximumBytes && one.key === other.key
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(path) }

    /// Returns when all that came so far is in its files, as a program does before it ends: what is missing then is fetched again. A
    /// disk that hangs is waited for 5 seconds.
    public func flush() async {
        HTTPResourcePool.shared.flush()
        await folder.flush()
    }

    /// Who is told, in one sentence and once, that the folder cannot be used: the first one to ask; where nobody has, the logger of the
    /// first player that plays from it. Any thread.
    public func setWarningHandler(_ handler: @escaping @Sendable (String) -> Void) {
        folder.setWarningHandler(handler)
    }

    /// Where nobody has asked.
    package func setDefaultWarningHandler(_ handler: @escaping @Sendable (String) -> Void) {
        folder.setWarningHandler(isDefault: true, handler)
    }

    var path: String { directory.standardizedFileURL.path }

    /// One for all of the process.
    var folder: CacheFolder { CacheFolder.shared(path, byteLimit: maximumBytes) }

    /// What stands for the resource in the names of files.
    func digest(_ address: HTTPAddress, _ options: NetworkOptions, isReferenced: Bool) -> [UInt8] {
        if let key, let url = URL(string: address.text) {
            // A program may have one key for a film, and its playlist has many parts.
            let path = isReferenced ? "\n" + url.path : ""
            return SHA256.digest(of: "own\n" + key.body(url) + path)
        }
        let headers = options.headers.map { "\($0.name.lowercased()): \($0.value)" }.sorted()
        let parts = [address.text, address.user ?? "", address.password ?? ""] + headers
        // With its length before each part, no two lists are one text.
        return SHA256.digest(of: parts.map { "\($0.utf8.count) \($0)\n" }.joined())
    }
}
