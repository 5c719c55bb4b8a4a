import FoundationEssentials
import Glibc
import PlayheadBackend
import PlayheadCore

/// One input of the command.
struct Input: Sendable {
    /// The argument as the user wrote it; see `RawArguments`.
    let argument: String
    /// The name for messages: without credentials and query strings of URLs, and without control characters.
    let name: String
    let url: URL
    /// The byte source if the player cannot open the URL itself.
    let bytes: InputBytes?
    /// Whether the input is probably a still image.
    var isImage = false
    /// The duration of the input if it is a still image, as its playlist declares it.
    var imageDuration: MediaTime?
    /// The position of the input among those of the command.
    var rank = InputRank(source: 0, number: 0)

    /// The argument for JSON and for clients that are not trusted: without credentials and query strings of URLs. Unlike
    /// `name`, a path is unchanged.
    var publicArgument: String { url.isFileURL ? argument : name }

    /// The last component of the name.
    var shortName: String { name.unicodeScalars.split { $0 == "/" }.last.map { String($0) } ?? name }

    var argumentBytes: [UInt8] { RawArguments.bytes(of: argument) ?? Array(argument.utf8) }
    /// The path of a file as bytes for system calls.
    var pathBytes: [UInt8] { RawArguments.bytes(of: argument) ?? Array(url.path.utf8) }

    var isStandardInput: Bool { url.relativeString == "-" }
    /// Whether the input can be read only once and sequentially.
    var isPipe: Bool { isStandardInput || bytes.map { !$0.isSeekable } ?? false }
    /// Whether the input may be a presentation, which is known when it is opened.
    var mayBePresentation: Bool {
        guard bytes == nil, !isImage else { return false }
        let isServed = url.scheme.map { ["http", "https"].contains($0.lowercased()) } ?? false
        guard url.isFileURL || isServed else { return false }
        // Files with the name of another format end with their item: exactly, and also after a seek.
        return PlaylistSignature.mayName(url.path)
    }
    /// The name at the beginning of a sentence.
    var sentenceName: String { name == "-" ? "Standard input" : name }

    /// Creates an input, or returns nil if `argument` is empty or an invalid URL.
    init?(_ argument: String) {
        guard !argument.isEmpty else { return nil }
        if argument == "-", Self.standardInputIsFile {
            self.init(argument, path: "/dev/stdin")
        } else if argument == "-" || Self.isStandardInputByName(argument) {
            guard let url = URL(string: "-") else { return nil }
            self.init(argument, argument, url)
        } else if let path = Self.path(ofFileURL: argument) {
            guard let path else { return nil }
            self.init(argument, path: path)
        } else if argument.contains("://") {
            guard let url = URL(string: argument), url.scheme != nil else { return nil }
            self.init(argument, Redaction.location(argument), url)
        } else {
            self.init(argument, path: argument)
        }
    }

    private init(_ argument: String, _ name: String, _ url: URL, _ bytes: InputBytes? = nil) {
        self.argument = argument
        self.name = oneLine(name)
        self.url = url
        self.bytes = bytes
    }

    private init(_ name: String, path: String) {
        let raw = RawArguments.bytes(of: path)
        self.init(
            name,
            name,
            URL(literalPath: path),
            InputBytes(name: name, path: raw ?? Array(path.utf8), isNameUsable: raw == nil)
        )
    }

    /// Returns an asset for the input.
    ///
    /// - Parameters:
    ///   - preciseTiming: Whether the streams are analyzed for precise times.
    ///   - network: The options for URLs.
    ///   - subtitleEncoding: The encoding of a subtitle file that is not UTF-8, or nil for the default.
    ///   - backend: The backend that opens the asset, or nil for that of the player.
    func asset(
        preciseTiming: Bool = false,
        network: NetworkOptions,
        subtitleEncoding: TextEncoding? = nil,
        backend: (any MediaBackend)? = nil
    ) -> Asset {
        var options = AssetOptions(preciseTiming: preciseTiming, byteSource: bytes, network: network)
        options.subtitleEncoding = subtitleEncoding
        guard let backend else { return Asset(url: url, options: options) }
        return Asset(url: url, options: options, backend: backend)
    }

    /// Whether standard input is a file that nothing has been read from, so that it can be opened and read like any file.
    private static var standardInputIsFile: Bool {
        var status = stat()
        guard fstat(STDIN_FILENO, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
        return lseek(STDIN_FILENO, 0, SEEK_CUR) == 0 && access("/dev/stdin", R_OK) == 0
    }

    /// Returns true if `path` names standard input and that is a pipe or socket, which is read through its descriptor:
    /// a socket cannot be opened by name.
    private static func isStandardInputByName(_ path: String) -> Bool {
        guard ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].contains(path) else { return false }
        var status = stat()
        guard fstat(STDIN_FILENO, &status) == 0 else { return false }
        return [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT)
    }

    /// Returns the path of a file URL: "file:/x", "file:///x", "file://localhost/x", or "file:x" as in FFmpeg. Returns
    /// nil if `text` is not a file URL, and `.some(nil)` if the URL names another host or an invalid path.
    private static func path(ofFileURL text: String) -> String?? {
        guard text.prefix(5).lowercased() == "file:" else { return nil }
        var rest = text.dropFirst(5)
        if rest.hasPrefix("//") {
            rest = rest.dropFirst(2)
            let host = rest.prefix { $0 != "/" }
            guard host.isEmpty || host.lowercased() == "localhost" else { return .some(nil) }
            rest = rest.dropFirst(host.count)
        }
        // An existing file takes precedence: its name may contain a percent sign that is not an escape.
        let path = String(rest)
        if !path.isEmpty, access(path, F_OK) == 0 { return path }
        guard let decoded = path.percentDecoded, !decoded.isEmpty, !decoded.utf8.contains(0) else {
            return .some(nil)
        }
        return decoded
    }

    /// Returns why `argument` is not a valid input, as a sentence without its period.
    static func refusal(of argument: String) -> String {
        argument.isEmpty ? "the location is empty" : "\(oneLine(redacted(argument))): not a valid URL"
    }

    /// Returns `argument` without credentials and query string. `Redaction.location` leaves text whose scheme is
    /// invalid unchanged, so text that precedes the longest valid scheme is split off.
    private static func redacted(_ argument: String) -> String {
        guard let separator = argument.firstRange(of: "://") else { return argument }
        let scheme = argument[..<separator.lowerBound].reversed().prefix {
            $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0))
        }
        let start = argument.index(separator.lowerBound, offsetBy: -scheme.count)
        return argument[..<start] + Redaction.location(String(argument[start...]))
    }
}
