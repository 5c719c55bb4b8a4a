import Glibc
import Synchronization

/// File names are bytes, and need not be UTF-8: keeps those that are not, by the text that stands for them.
enum RawArguments {
    private static let bytesByText = Mutex<[String: [UInt8]]>([:])

    /// The command line without the command's name.
    static func all() -> [String] {
        let arguments = UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
        return arguments.dropFirst().compactMap { argument in
            guard let argument else { return nil }
            return text(for: Array(UnsafeBufferPointer(start: argument, count: strlen(argument))))
        }
    }

    /// As it is where it is UTF-8; else a text that no other name has.
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

    /// nil where `text` is the name itself.
    static func bytes(of text: String) -> [UInt8]? { bytesByText.withLock { $0[text] } }
}
