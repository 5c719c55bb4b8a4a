import Glibc
import Synchronization

/// The command-line arguments as text. File names need not be UTF-8, so the bytes of those that are not are stored by
/// the text that represents them.
enum RawArguments {
    private static let bytesByText = Mutex<[String: [UInt8]]>([:])

    /// Returns the arguments without the command's name.
    static func all() -> [String] {
        let arguments = UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
        return arguments.dropFirst().compactMap { argument in
            guard let argument else { return nil }
            return text(for: Array(UnsafeBufferPointer(start: argument, count: strlen(argument))))
        }
    }

    /// Whether the command was started under the name "mpv", as a link to it. It then accepts what clients of mpv pass.
    static let isMPV: Bool = {
        guard let name = CommandLine.unsafeArgv[0] else { return false }
        return String(cString: name).split(separator: "/").last == "mpv"
    }()

    /// Returns the text for an argument: the argument itself if it is UTF-8, otherwise a unique replacement.
    static func text(for bytes: some Sequence<CChar>) -> String {
        let bytes = bytes.map { UInt8(bitPattern: $0) }
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return bytesByText.withLock { known in
            var text = String(decoding: bytes, as: UTF8.self)
            while let other = known[text], other != bytes { text += "\u{FFFD}" }
            known[text] = bytes
            return text
        }
    }

    /// Returns the original bytes, or nil if `text` is the argument itself.
    static func bytes(of text: String) -> [UInt8]? { bytesByText.withLock { $0[text] } }
}
