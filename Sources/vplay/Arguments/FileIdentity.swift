import ArgumentParser
import FoundationEssentials
import Glibc
import PlayheadCore

/// The identity of a file, independent of the names that refer to it.
enum FileIdentity: Hashable {
    case file(device: UInt64, node: UInt64)
    /// A file that does not exist yet: the bytes of a name in a folder.
    case name(device: UInt64, folder: UInt64, name: [UInt8])

    /// Creates the identity of the file at `path`. Returns nil for character devices such as /dev/null, which several
    /// outputs may share, and if the file and its folder cannot be examined.
    init?(path: String) {
        var path = path
        for _ in 0..<40 {
            var status = stat()
            if stat(path, &status) == 0 {
                if status.st_mode & S_IFMT == S_IFCHR { return nil }
                self = .file(device: UInt64(status.st_dev), node: UInt64(status.st_ino))
                return
            }
            let name = path.nameInFolder
            let folder = path.folderPath ?? "."
            guard errno == ENOENT, !name.isEmpty, stat(folder, &status) == 0 else { return nil }
            var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
            let count = readlink(path, &buffer, buffer.count - 1)
            guard count > 0 else {
                self = .name(
                    device: UInt64(status.st_dev),
                    folder: UInt64(status.st_ino),
                    name: Array(name.utf8)
                )
                return
            }
            // The link refers to a file that does not exist yet.
            let link = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            path = link.hasPrefix("/") ? link : folder + "/" + link
        }
        return nil
    }

    /// Creates the identity of an open file. Returns nil unless it is a regular file: a socket may be read and written.
    init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        self = .file(device: UInt64(status.st_dev), node: UInt64(status.st_ino))
    }

    /// Creates the identity of an existing file, whose name need not be UTF-8.
    init?(existing path: [UInt8]) {
        var status = stat()
        guard path.withCString({ stat($0, &status) }) == 0, status.st_mode & S_IFMT != S_IFCHR else {
            return nil
        }
        self = .file(device: UInt64(status.st_dev), node: UInt64(status.st_ino))
    }

    /// Returns the size in bytes of a regular file, or nil if `path` is not one.
    static func byteCount(path: String) -> Int64? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int64(status.st_size)
    }

    /// Creates the identity of an output. The path "-" is standard output.
    init?(output path: String) {
        if path == "-" { self.init(descriptor: STDOUT_FILENO) } else { self.init(path: path) }
    }
}

extension [FileIdentity: String] {
    /// Throws if one of these outputs, which are stored with their names, is a file that an input reads.
    func refuseInputs(_ inputs: [Input]) throws(ValidationError) {
        guard !isEmpty else { return }
        for input in inputs {
            for identity in input.identities {
                guard let output = self[identity] else { continue }
                throw ValidationError(
                    oneLine(
                        "Writing to \(output) would destroy the input \(input.name): they are the same file."
                    )
                )
            }
        }
    }
}

extension Input {
    /// The files that playing the input reads, as far as known in advance, including those that a local playlist names.
    var identities: Set<FileIdentity> {
        if isStandardInput { return FileIdentity(descriptor: STDIN_FILENO).map { [$0] } ?? [] }
        guard url.isFileURL else { return [] }
        if let bytes = RawArguments.bytes(of: argument) {
            return FileIdentity(existing: bytes).map { [$0] } ?? []
        }
        var found: Set<FileIdentity> = []
        Self.collect(url.path, depth: 0, into: &found)
        return found
    }

    private static func collect(_ path: String, depth: Int, into found: inout Set<FileIdentity>) {
        guard let identity = FileIdentity(path: path), found.insert(identity).inserted, depth < 3
        else { return }
        for entry in playlistEntries(path) { collect(entry, depth: depth + 1, into: &found) }
    }

    private static func playlistEntries(_ path: String) -> [String] {
        guard ["m3u8", "m3u"].contains(URL(fileURLWithPath: path).pathExtension.lowercased()),
            let data = FileManager.default.contents(atPath: path), data.count < 1 << 20
        else { return [] }
        let folder = path.folderPath ?? ""
        let lines = PlaylistFile.lines(of: String(decoding: data, as: UTF8.self))
        let names = lines.flatMap { line -> [Substring] in
            guard line.hasPrefix("#") else { return [line[...]] }
            return line.split(separator: "URI=\"").dropFirst().compactMap { $0.split(separator: "\"").first }
        }
        // Muxers write file names as they are, and the RFC requires percent-encoding.
        return names.flatMap { [String($0), $0.percentDecoded].compactMap(\.self) }
            .filter { !$0.contains("://") }
            .map { $0.hasPrefix("/") ? $0 : folder + $0 }
    }
}
