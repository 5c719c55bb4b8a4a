public import Foundation
import Glibc
import Playhead

/// A file of media, to be chosen.
public struct MediaFile: Hashable, Sendable, Identifiable {
    /// Where it is; nothing else tells files apart.
    public var url: URL
    /// What a list shows.
    public var name: String
    /// What it holds.
    public var kind: MediaKind

    /// See `url`.
    public var id: URL { url }

    /// `name` nil: the last part of the URL.
    public init(url: URL, name: String? = nil, kind: MediaKind) {
        self.url = url
        self.name = name ?? url.lastPathComponent
        self.kind = kind
    }

    /// The media in a folder, in natural order: clip2 before clip10. Hidden files, folders inside, and what is no media by its
    /// own bytes, whatever it is called, are left out; links count as what they lead to.
    ///
    /// The first 64 KB of each file are read, and containers that may hold video or sound alone are opened, four at a time.
    /// Throws where the folder cannot be read, and where the task was cancelled; a file that cannot be read is no media.
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

    /// What a local file holds; nil for what is no media, and where it cannot be read.
    public static func kind(of url: URL) async -> MediaKind? {
        guard let contents = MediaContents(ofFile: Array(url.path.utf8)) else { return nil }
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
    /// nil as well for what is no regular file and for what cannot be read. Never waits: a pipe is not opened for good.
    /// `path` without a zero; it need not be UTF-8.
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
    /// In order; at most `width` at a time.
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
