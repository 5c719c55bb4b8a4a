import Foundation
import Glibc
import Playhead
import PlayheadPicker

/// One thing to play.
struct Input: Sendable {
    /// As the user wrote it; see `RawArguments`.
    let argument: String
    /// The same for messages: without what would steer a terminal.
    let name: String
    let url: URL
    /// Where the player does not open the URL itself.
    let bytes: InputBytes?

    /// The name without its folders.
    var shortName: String { name.split(separator: "/").last.map(String.init) ?? name }

    var argumentBytes: [UInt8] { RawArguments.bytes(of: argument) ?? Array(argument.utf8) }
    /// Of a file, as the system wants it.
    var pathBytes: [UInt8] { RawArguments.bytes(of: argument) ?? Array(url.path.utf8) }

    var isStandardInput: Bool { url.relativeString == "-" }
    /// Can be read once, and not from its middle.
    var isPipe: Bool { isStandardInput || bytes.map { !$0.isSeekable } ?? false }

    /// nil for what can be no URL at all.
    init?(_ argument: String) {
        guard !argument.isEmpty else { return nil }
        if argument == "-" || Self.isStandardInputByName(argument) {
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
            URL(fileURLWithPath: path, isDirectory: false),
            InputBytes(name: name, path: raw ?? Array(path.utf8), isNameUsable: raw == nil)
        )
    }

    func asset(preciseTiming: Bool = false, network: NetworkOptions) -> Asset {
        let options = AssetOptions(preciseTiming: preciseTiming, byteSource: bytes, network: network)
        return Asset(url: url, options: options)
    }

    /// A pipe or socket there is read where it is: a socket cannot be opened by a name.
    private static func isStandardInputByName(_ path: String) -> Bool {
        guard ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].contains(path) else { return false }
        var status = stat()
        guard fstat(STDIN_FILENO, &status) == 0 else { return false }
        return [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT)
    }

    /// "file:/x", "file:///x", "file://localhost/x", and "file:x" as FFmpeg's users write it. nil for what is no
    /// such URL; nil inside for one of another host.
    private static func path(ofFileURL text: String) -> String?? {
        guard text.prefix(5).lowercased() == "file:" else { return nil }
        var rest = text.dropFirst(5)
        if rest.hasPrefix("//") {
            rest = rest.dropFirst(2)
            let host = rest.prefix { $0 != "/" }
            guard host.isEmpty || host.lowercased() == "localhost" else { return .some(nil) }
            rest = rest.dropFirst(host.count)
        }
        // A name that holds a percent sign and was not encoded is the file that is there.
        let path = String(rest)
        if !path.isEmpty, access(path, F_OK) == 0 { return path }
        guard let decoded = path.removingPercentEncoding, !decoded.isEmpty, !decoded.utf8.contains(0) else {
            return .some(nil)
        }
        return decoded
    }

    /// Returns why `argument` stands for no input, as a sentence without its period.
    static func refusal(of argument: String) -> String {
        argument.isEmpty
            ? "the location is empty" : "\(oneLine(Redaction.location(argument))): this is not a valid URL"
    }
}

/// What the arguments stand for, folders opened up.
struct InputList: Sendable {
    private(set) var inputs: [Input] = []
    /// Whole sentences about arguments that stand for nothing.
    private(set) var complaints: [String] = []

    /// Which files of a folder count.
    enum FileFilter: Hashable, Sendable {
        /// What takes time to play.
        case playable
        /// Pictures as well.
        case all

        func includes(_ contents: MediaContents?) -> Bool {
            contents.map { self == .all || $0 != .kind(.image) } ?? false
        }
    }

    init(_ arguments: [String], _ takes: FileFilter = .playable) {
        for argument in arguments {
            do {
                guard let files = try Self.files(inFolder: argument, takes) else {
                    append(argument)
                    continue
                }
                if files.isEmpty {
                    complaints.append("\(oneLine(argument)): there are no media files in this folder")
                }
                for file in files { append(file) }
            } catch {
                complaints.append("\(oneLine(argument)): \(error.localizedDescription)")
            }
        }
    }

    private mutating func append(_ argument: String) {
        if let input = Input(argument) {
            inputs.append(input)
        } else {
            complaints.append(Input.refusal(of: argument))
        }
    }

    /// nil when `path` is no folder. In natural order, clip2 before clip10; nothing hidden, no folders inside, and what is
    /// no media by its first bytes is left out.
    private static func files(inFolder path: String, _ takes: FileFilter) throws -> [String]? {
        let raw = RawArguments.bytes(of: path) ?? Array(path.utf8)
        guard
            let folder = (raw.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer({ bytes in
                bytes.baseAddress.flatMap { opendir($0) }
            })
        else {
            guard errno == ENOTDIR || errno == ENOENT else {
                var isFolder: ObjCBool = false
                let isThere = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
                guard isThere, isFolder.boolValue else { return nil }
                throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
            }
            return nil
        }
        defer { closedir(folder) }
        let base = raw + (raw.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")])
        var names: [[UInt8]] = []
        while let entry = readdir(folder) {
            withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: UInt8.self, capacity: 256) { start in
                    names.append(Array(UnsafeBufferPointer(start: start, count: strlen(start))))
                }
            }
        }
        return names.filter { $0.first != UInt8(ascii: ".") }
            .sorted { NaturalOrder.areInIncreasingOrder($0, $1) }
            .filter { takes.includes(MediaContents(ofFile: base + $0)) }
            .map { RawArguments.text(for: (base + $0).map { CChar(bitPattern: $0) }) }
    }
}
