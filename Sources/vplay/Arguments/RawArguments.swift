import ArgumentParser
import Glibc
import Synchronization

/// The command-line arguments as text. File names need not be UTF-8, so the bytes of those that are not are stored by
/// the text that represents them.
enum RawArguments {
    private static let bytesByText = Mutex<[String: [UInt8]]>([:])
    /// The options, without dashes, whose values contain the name of a file or folder that is not an input.
    private static let pathOptions: Set<String> = [
        "o", "output", "vtt", "video", "audio", "play-log", "resume-file", "input-ipc-server", "include",
        "media-folder", "cache", "tls-ca-file", "http-token-file",
    ]

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

    /// Throws if such a name is not UTF-8. It would be replaced by another name.
    static func checkNames(in arguments: [String]) throws(ValidationError) {
        // The option whose value follows.
        var option = ""
        for argument in arguments.prefix(while: { $0 != "--" }) {
            let isOption = argument.hasPrefix("-")
            let hasValue = isOption && argument.contains("=")
            if isOption { option = String(argument.drop { $0 == "-" }.prefix { $0 != "=" }) }
            if bytes(of: argument) != nil, pathOptions.contains(option) || (hasValue && option == "resume") {
                throw ValidationError(
                    "\(oneLine(argument)): names that are not UTF-8 are supported only for inputs."
                )
            }
            if !isOption || hasValue { option = "" }
        }
    }

    /// Returns the original bytes, or nil if `text` is the argument itself.
    static func bytes(of text: String) -> [UInt8]? { bytesByText.withLock { $0[text] } }
}
