import Foundation
import Glibc

/// A playlist of a desktop player: M3U, PLS, or a file with one path or URL in each line.
struct PlaylistFile: Sendable {
    /// The paths and URLs. Relative paths are relative to the folder of the file.
    let entries: [String]

    /// The largest number of bytes of a file.
    private static let maximumByteCount = 4 << 20

    /// The reason for which a file is not read.
    enum Failure: Error {
        case unreadable
        case tooLarge
    }

    /// Reads a file.
    ///
    /// - Parameter path: The path of the file.
    /// - Throws: `Failure` if it cannot be read, or has more than 4 MiB.
    init(path: String) throws(Failure) {
        let data: Data
        do {
            // A pipe without a writer would block.
            var status = stat()
            guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                throw Failure.unreadable
            }
            let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            data = try handle.read(upToCount: Self.maximumByteCount + 1) ?? Data()
        } catch {
            throw .unreadable
        }
        guard data.count <= Self.maximumByteCount else { throw .tooLarge }
        let text = String(decoding: data, as: UTF8.self)
        entries = Self.entries(in: text, folder: (path as NSString).deletingLastPathComponent)
    }

    /// Returns the entries of a text: the lines that are not comments, or the values of "File1=" and so on.
    static func entries(in text: String, folder: String) -> [String] {
        let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
        let isPLS = lines.first?.lowercased() == "[playlist]"
        return lines.compactMap { line in
            var line = line.hasPrefix("\u{FEFF}") ? String(line.dropFirst()) : line
            if isPLS {
                guard line.lowercased().hasPrefix("file"), let equals = line.firstIndex(of: "=") else {
                    return nil
                }
                line = String(line[line.index(after: equals)...])
            }
            guard !line.isEmpty, !line.hasPrefix("#") else { return nil }
            if line.contains("://") || line.hasPrefix("/") || folder.isEmpty { return line }
            return folder + "/" + line
        }
    }
}
