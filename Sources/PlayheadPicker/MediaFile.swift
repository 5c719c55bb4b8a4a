public import FoundationEssentials
import Glibc
import PlayheadCore

/// A media file that can be selected.
public struct MediaFile: Hashable, Sendable, Identifiable {
    /// The URL of the file, which identifies it.
    public var url: URL
    /// The name for display in a list.
    public var name: String
    /// The kind of media in the file.
    public var kind: MediaKind

    /// The identity of the file: `url`.
    public var id: URL { url }

    /// Creates a media file.
    ///
    /// - Parameters:
    ///   - url: The URL of the file.
    ///   - name: The name for display, or nil for the last component of the URL.
    ///   - kind: The kind of media in the file.
    public init(url: URL, name: String? = nil, kind: MediaKind) {
        self.url = url
        self.name = name ?? url.lastPathComponent
        self.kind = kind
    }

    /// Returns the media files in a folder in natural order ("clip2" before "clip10").
    ///
    /// Hidden files, subfolders, and files whose content is not media, whatever their names are, are omitted. Symbolic
    /// links count as their destination. The method reads the first 64 KB of each file and opens containers that may
    /// hold either video or audio, four at a time. A file that cannot be read is omitted, as is one whose name is not
    /// UTF-8, because no URL can name it.
    ///
    /// - Parameters:
    ///   - folder: The folder to search.
    ///   - kinds: The kinds of media to include.
    /// - Returns: The files.
    /// - Throws: A Foundation error if the folder cannot be read, or `CancellationError` if the task was cancelled.
    public static func files(
        in folder: URL,
        kinds: Set<MediaKind> = Set(MediaKind.allCases)
    ) async throws -> [MediaFile] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { !$0.hasPrefix(".") }
            .sorted { NaturalOrder.areInIncreasingOrder($0, $1) }
        let files = await names.concurrentMap(width: 4) { name -> MediaFile? in
            guard !Task.isCancelled else { return nil }
            let url = folder.appendingPathComponent(name)
            return await kind(of: url).map { MediaFile(url: url, name: name, kind: $0) }
        }
        try Task.checkCancellation()
        return files.compactMap(\.self).filter { kinds.contains($0.kind) }
    }

    /// Returns the kind of media in a local file.
    ///
    /// - Parameter url: The URL of the file.
    /// - Returns: The kind, or nil if the URL is not that of a local file, or the file is not media or cannot be read.
    public static func kind(of url: URL) async -> MediaKind? {
        guard url.isFileURL || url.scheme == nil,
            let contents = MediaContents(ofFile: Array(url.path.utf8))
        else { return nil }
        if case .kind(let kind) = contents { return kind }
        let asset = Asset(url: url)
        do throws(PlaybackError) {
            try await asset.load()
        } catch {
            return nil
        }
        return asset.kind
    }
}

extension MediaContents {
    /// Examines the first bytes of a file. The result is nil also if the file is not a regular file or cannot be read.
    /// The call never blocks: a pipe is opened without waiting, and closed again.
    ///
    /// - Parameter path: The path without a terminating zero. It need not be valid UTF-8.
    package init?(ofFile path: [UInt8]) {
        let descriptor = (path + [0]).withUnsafeBytes { bytes in
            bytes.assumingMemoryBound(to: CChar.self).baseAddress
                .map { open($0, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY) } ?? -1
        }
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        let head = [UInt8](unsafeUninitializedCapacity: Self.headByteCount) { buffer, count in
            while count < buffer.count {
                let more = read(descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count)
                guard more > 0 else { return }
                count += more
            }
        }
        let name = path.split(separator: UInt8(ascii: "/")).last ?? []
        self.init(head: head, name: String(decoding: name, as: UTF8.self))
    }
}

extension Array where Element: Sendable {
    /// Returns the results in the order of the elements, with at most `width` calls at a time.
    package func concurrentMap<Result: Sendable>(
        width: Int,
        _ body: @escaping @Sendable (Element) async -> Result
    ) async -> [Result] {
        await withTaskGroup(of: (Int, Result).self) { group in
            var results = [Result?](repeating: nil, count: count)
            var next = 0
            func begin() {
                guard next < count else { return }
                let (index, element) = (next, self[next])
                next += 1
                group.addTask { (index, await body(element)) }
            }
            for _ in 0..<Swift.min(width, count) { begin() }
            while let (index, result) = await group.next() {
                results[index] = result
                begin()
            }
            return results.compactMap(\.self)
        }
    }
}
