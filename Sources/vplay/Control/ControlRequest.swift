import FoundationEssentials

/// A line that a remote client has sent: a command as JSON, or as words like those in mpv's `input.conf`.
struct ControlRequest: Sendable {
    /// The name of the command and its arguments, or the reason for which the line is refused.
    let command: Result<[JSONValue], ControlError>
    /// The number that the reply repeats: 0 if there is none. Lines of words have no reply.
    var id: JSONValue = .integer(0)
    var isText = false

    /// The largest number of bytes in a line.
    static let maximumLength = 1 << 20

    /// Parses a line without its end.
    ///
    /// - Parameter line: UTF-8 bytes.
    /// - Returns: The requests: none for an empty line or a comment, several for words that are separated by semicolons, one
    ///   that is refused if the line is neither JSON nor words.
    static func parse(_ line: some Collection<UInt8>) -> [ControlRequest] {
        guard let first = line.first(where: { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }) else {
            return []
        }
        if first == UInt8(ascii: "#") { return [] }
        guard first == UInt8(ascii: "{") else {
            do throws(ControlError) {
                guard let text = String(validating: line, as: UTF8.self) else { throw .invalidParameter }
                return try commands(in: text).map { ControlRequest(command: .success($0), isText: true) }
            } catch {
                return [ControlRequest(command: .failure(error), isText: true)]
            }
        }
        guard let message = try? JSONDecoder().decode(JSONValue.self, from: Data(line)) else {
            return [ControlRequest(command: .failure(.invalidParameter))]
        }
        let command = Result { () throws(ControlError) in try words(of: message["command"]) }
        return [ControlRequest(command: command, id: message["request_id"] ?? .integer(0))]
    }

    /// Returns the name and the arguments of a command, which is an array, or an object with named arguments.
    private static func words(of command: JSONValue?) throws(ControlError) -> [JSONValue] {
        switch command {
        case .object(let members)?: return try ControlCommands.words(named: members)
        case .array(let words)?:
            guard case .string? = words.first else { throw .invalidParameter }
            return Array(words.drop { isPrefix($0) })
        default: throw .invalidParameter
        }
    }

    static func isPrefix(_ word: JSONValue) -> Bool {
        guard case .string(let text) = word else { return false }
        return prefixes.contains(text)
    }

    /// Prefixes of a command that concern the display or the order of commands, and that are ignored.
    private static let prefixes: Set<String> = [
        "osd-auto", "no-osd", "osd-bar", "osd-msg", "osd-msg-bar", "raw", "expand-properties", "repeatable",
        "nonrepeatable", "async", "sync",
    ]

    /// Splits words at spaces, and commands at semicolons; a number sign begins a comment. Quotes around a word keep all of
    /// them together.
    private static func commands(in text: String) throws(ControlError) -> [[JSONValue]] {
        var result: [[JSONValue]] = []
        var words: [JSONValue] = []
        var word: String?
        var rest = text[...]
        func endWord() {
            if let ended = word, !(words.isEmpty && prefixes.contains(ended)) { words.append(.string(ended)) }
            word = nil
        }
        func endCommand() {
            endWord()
            if !words.isEmpty { result.append(words) }
            words = []
        }
        while let character = rest.popFirst() {
            switch character {
            case " ", "\t", "\r": endWord()
            case ";": endCommand()
            case "#": rest = ""
            // As in mpv, a quote within a word, such as an apostrophe in a file name, is a part of it.
            case "\"" where word == nil, "'" where word == nil:
                guard let quoted = quoted(by: character, &rest) else { throw .invalidParameter }
                word = quoted
            default: word = (word ?? "") + String(character)
            }
        }
        endCommand()
        return result
    }

    /// Removes text up to the closing quote. In double quotes a backslash escapes the next character.
    private static func quoted(by quote: Character, _ rest: inout Substring) -> String? {
        var text = ""
        while let character = rest.popFirst() {
            if character == quote { return text }
            if character == "\\", quote == "\"" {
                guard let escaped = rest.popFirst() else { return nil }
                text.append(escaped == "n" ? "\n" : escaped == "t" ? "\t" : escaped)
            } else {
                text.append(character)
            }
        }
        return nil
    }
}
