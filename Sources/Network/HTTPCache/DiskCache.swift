public import FoundationEssentials
internal import MediaCore

/// A folder that keeps responses of http and https URLs across players and processes.
///
///     configuration.network.cache = .default
///
/// A cached resource is revalidated once when it is opened, by a request without a body. A resource that has changed
/// is fetched again. If the server cannot be reached, a completely cached resource is used without validation. A
/// resource without ETag and Last-Modified is not cached.
///
/// Of an HLS playlist that has ended (`EXT-X-ENDLIST`), the cache keeps the playlist and the media segments that were
/// played, but no keys. Of a live playlist it keeps nothing.
///
/// Checksums detect damaged bytes, which are fetched again. Playback continues without the cache if the folder cannot
/// be written or the disk is full. Several processes may share a folder. All members may be used from any thread.
public final class DiskCache: Hashable, Sendable {
    /// The cache of the user: the folder `playhead` in `XDG_CACHE_HOME` or `~/.cache`, with at most 1 GiB.
    public static let `default` = DiskCache(
        directory: defaultDirectory(
            ProcessInfo.processInfo.environment,
            home: FileManager.default.homeDirectoryForCurrentUser.path
        )
    )

    /// The folder. It is created with access for the current user only when the first bytes are stored.
    public let directory: URL
    /// The maximum size of the folder in bytes. The least recently used resources are evicted first.
    public let maximumBytes: Int64
    /// Returns the cache key of a URL, or nil for the default key.
    private let key: (@Sendable (URL) -> String)?

    /// Creates a cache.
    ///
    /// - Parameters:
    ///   - directory: A folder that only this cache uses.
    ///   - maximumBytes: The maximum size of the folder.
    ///   - key: Returns the cache key of a URL. URLs with the same key are one resource, so a signed URL that expires
    ///     is found again without its signature. By default the key consists of the whole URL, the header fields and
    ///     the credentials. With a function, the key is its result; for resources that a playlist refers to, also
    ///     their path. Segments whose URLs differ only in the query need different results. Called on any thread.
    public init(
        directory: URL,
        maximumBytes: Int64 = 1 << 30,
        key: (@Sendable (URL) -> String)? = nil
    ) {
        self.directory = directory
        self.maximumBytes = maximumBytes
        self.key = key
    }

    /// Returns the folder of `DiskCache.default`. As the XDG base directory specification demands, a relative path in
    /// `XDG_CACHE_HOME` is ignored.
    static func defaultDirectory(_ environment: [String: String], home: String) -> URL {
        let declared = environment["XDG_CACHE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        return URL(fileURLWithPath: declared ?? home + "/.cache", isDirectory: true)
            .appendingPathComponent("playhead", isDirectory: true)
    }

    /// Returns whether both caches have the same folder, limit and keys. Caches with a key function are equal only to
    /// themselves.
    public static func == (one: DiskCache, other: DiskCache) -> Bool {
        if one === other { return true }
        return one.key == nil && other.key == nil && one.path == other.path
            && one.maximumBytes == other.maximumBytes
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(path) }

    /// Waits until all received bytes are written, for example before a program exits. Bytes that are not written are
    /// fetched again later.
    ///
    /// Returns after 5 seconds at the latest, also if the disk does not respond.
    public func flush() async {
        HTTPResourcePool.shared.flush()
        await folder.flush()
    }

    /// Sets the function that is called once with a message if the folder cannot be used.
    ///
    /// The first handler remains. Without one, the logger of the first player that uses the cache receives the
    /// message.
    ///
    /// - Parameter handler: Called on any thread.
    public func setWarningHandler(_ handler: @escaping @Sendable (String) -> Void) {
        folder.setWarningHandler(handler)
    }

    /// Sets the handler for the case that the application has set none.
    package func setDefaultWarningHandler(_ handler: @escaping @Sendable (String) -> Void) {
        folder.setWarningHandler(isDefault: true, handler)
    }

    var path: String { directory.standardizedFileURL.path }

    /// The folder, which all caches of the process with the same path and limit share.
    var folder: CacheFolder {
        CacheFolder.shared(path, byteLimit: max(0, maximumBytes)) {
            HTTPResourcePool.shared.closeUnusedFiles()
        }
    }

    /// Returns the digest that names the files of a resource.
    func digest(_ resource: HTTPResource) -> [UInt8] {
        let address = resource.address
        if let key, let url = URL(string: address.text) {
            // An application may return one key for a whole asset, which consists of many segments.
            let path = resource.referrer != .none ? "\n" + url.path : ""
            return SHA256.digest(of: "own\n" + key(url) + path)
        }
        let headers = resource.options.headers.map { "\($0.name.lowercased()): \($0.value)" }.sorted()
        let parts = [address.text, address.user ?? "", address.password ?? ""] + headers
        // Each part is preceded by its length, so that different lists never have the same text.
        return SHA256.digest(of: parts.map { "\($0.utf8.count) \($0)\n" }.joined())
    }
}
