import FoundationEssentials
import Glibc
import PlayheadCore

/// The entries of a playlist of a desktop player: M3U, PLS, or a path or URL in each line.
struct PlaylistFile: Sendable {
    struct Entry: Hashable, Sendable {
        /// A path or a URL, as the file has it.
        var location: String
        /// The declared duration, which is that of a still image.
        var duration: MediaTime?
    }

    /// The reason for which a file is not read.
    enum Failure: Error {
        case unreadable(String)
        case tooLarge
        /// The file is an HLS presentation, which the player opens.
        case presentation

        var message: String {
            switch self {
            case .unreadable(let reason): reason
            case .tooLarge: "the playlist has more than 4 MiB"
            case .presentation: "an HLS presentation is no list of files"
            }
        }
    }

    let entries: [Entry]
    /// Whether the bytes are not UTF-8 and were read as ISO 8859-1.
    let isLatin1: Bool

    /// The largest number of bytes of a file.
    private static let maximumByteCount = 4 << 20
    /// The name extensions of playlists.
    private static let extensions: Set<String> = ["m3u", "m3u8", "pls"]

    /// Returns whether a name is that of a playlist.
    static func isPlaylist(name: String) -> Bool {
        guard let file = name.split(separator: "/").last, let dot = file.lastIndex(of: ".") else {
            return false
        }
        return extensions.contains(file[file.index(after: dot)...].lowercased())
    }

    /// Reads a file.
    ///
    /// - Parameter path: The path of the file.
    /// - Throws: `Failure`.
    init(path: [UInt8]) throws(Failure) {
        // A pipe without a writer would block.
        let descriptor = path.withCString { open($0, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
        guard descriptor >= 0 else { throw .unreadable(String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .unreadable("not a regular file")
        }
        guard status.st_size <= off_t(Self.maximumByteCount) else { throw .tooLarge }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count <= Self.maximumByteCount {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .unreadable(String(cString: strerror(errno))) }
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        try self.init(bytes)
    }

    /// Parses the bytes of a file.
    ///
    /// - Throws: `.presentation` if the bytes are an HLS presentation, `.tooLarge` for more than 4 MiB.
    init(_ bytes: [UInt8]) throws(Failure) {
        guard bytes.count <= Self.maximumByteCount else { throw .tooLarge }
        let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        let utf8 = String(validating: bytes, as: UTF8.self)
        let text = utf8 ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        isLatin1 = utf8 == nil
        let lines = Self.lines(of: text)
        if lines.contains(where: { $0.hasPrefix("#EXT-X-") }) { throw .presentation }
        entries =
            lines.first?.lowercased() == "[playlist]" ? Self.pls(lines) : Self.m3u(lines)
    }

    /// Returns the lines that are not blank. Only CR and LF end a line: other separators may be a part of a name, as the
    /// byte 0x85 is, which is an ellipsis in Windows-1252.
    static func lines(of text: String) -> [String] {
        text.unicodeScalars.split { $0 == "\r" || $0 == "\n" }.map(trimmed).filter { !$0.isEmpty }
    }

    /// Returns text without blanks, and the byte-order marks of files that were joined, at both ends.
    private static func trimmed(_ text: Substring.UnicodeScalarView) -> String {
        let isBlank = { (scalar: Unicode.Scalar) in [" ", "\t", "\u{FEFF}"].contains(scalar) }
        let rest = text.drop(while: isBlank)
        guard let last = rest.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(String.UnicodeScalarView(rest[...last]))
    }

    /// Returns the lines that are no comments, with the durations of the `#EXTINF` lines before them.
    private static func m3u(_ lines: [String]) -> [Entry] {
        var entries: [Entry] = []
        var duration: MediaTime?
        for line in lines {
            if line.hasPrefix("#EXTINF:") {
                duration = Self.duration(line.dropFirst(8))
            } else if !line.hasPrefix("#") {
                entries.append(Entry(location: line, duration: duration))
                duration = nil
            }
        }
        return entries
    }

    /// Returns the values of "File1=" and so on, in the order of their numbers.
    private static func pls(_ lines: [String]) -> [Entry] {
        var entries: [Int: Entry] = [:]
        var durations: [Int: MediaTime] = [:]
        for line in lines {
            let name = line.prefix { $0 != "=" }
            guard name.count < line.count else { continue }
            let value = trimmed(line.dropFirst(name.count + 1).unicodeScalars)
            let key = name.trimmed.lowercased()
            let word = key.prefix { $0.isLetter }
            guard let number = Int(key.dropFirst(word.count)), !value.isEmpty else { continue }
            if word == "file" { entries[number] = Entry(location: value) }
            if word == "length" { durations[number] = duration(value[...]) }
        }
        return entries.sorted { $0.key < $1.key }.map { number, entry in
            Entry(location: entry.location, duration: durations[number])
        }
    }

    /// Returns the seconds at the start of a text, or nil if they are no positive number: -1 is an unknown duration.
    private static func duration(_ text: Substring) -> MediaTime? {
        let digits = text.drop { $0 == " " }.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let time = TimeArgument(argument: String(digits))?.time, time > .zero else { return nil }
        return time
    }

    // MARK: Locations

    /// Returns the argument for an entry: a URL, or a path, which is relative to the folder of the file.
    ///
    /// Writers disagree on how to write a path. If there is no file by the name as it is written, one by the name without
    /// percent-encoding, or with `/` for `\`, is used.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - folder: The path of the folder with the file, or nothing for the current folder.
    ///   - exists: Whether there is a file with a path.
    func argument(for entry: Entry, folder: [UInt8], exists: ([UInt8]) -> Bool) -> String {
        let location = entry.location
        if location.contains("://") || location.lowercased().hasPrefix("file:") { return location }
        var names = [Array(location.utf8)]
        if isLatin1 {
            names.insert(location.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }, at: 0)
        }
        if let decoded = location.percentDecoded, decoded != location, !decoded.utf8.contains(0) {
            names.append(Array(decoded.utf8))
        }
        if location.contains("\\") {
            names.append(location.utf8.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0 })
        }
        let paths = names.map { name in
            name.first == UInt8(ascii: "/") || folder.isEmpty ? name : folder + [UInt8(ascii: "/")] + name
        }
        let path = paths.first(where: exists) ?? paths[isLatin1 ? 1 : 0]
        return RawArguments.text(for: path.map { CChar(bitPattern: $0) })
    }
}
