import ArgumentParser
import FoundationEssentials
import Glibc

/// A file with options of `play`, in the format of mpv's: `option=value` or `option` in each line.
struct ConfigurationFile: Sendable {
    /// An option of a file.
    struct Option: Equatable, Sendable {
        /// The number of the line, from 1.
        let line: Int
        /// The name without dashes.
        let name: String
        /// The value, or nil if the line has none.
        let value: String?
    }

    /// A line that is not an option.
    struct Fault: Error, Equatable {
        let line: Int
        let reason: String
    }

    /// The largest file that is read.
    private static let maximumByteCount = 1 << 20
    /// The largest number of files that include one another in a chain.
    private static let maximumDepth = 8

    let path: String
    /// The path and the line of the option that includes this file, or nil.
    private var includer: String?

    init(path: String) { self.path = path }

    /// Creates the file of the user: `$XDG_CONFIG_HOME/vplay/config`, or `~/.config/vplay/config`.
    ///
    /// - Parameter environment: The environment of the process.
    /// - Returns: Nil if the environment names no folder.
    init?(environment: [String: String]) {
        let folder =
            environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 + "/.config" : nil }
        guard let folder else { return nil }
        path = folder + "/vplay/config"
    }

    // MARK: Reading

    /// Returns the options of the file, checked one by one.
    ///
    /// - Parameters:
    ///   - isRequired: Whether a missing file is an error.
    ///   - depth: The number of files that include this one.
    /// - Throws: `ValidationError` with the path and the line of the first fault.
    func options(isRequired: Bool, depth: Int = 0) throws(ValidationError) -> OptionList {
        guard let text = try text(isRequired: isRequired) else { return OptionList() }
        let options: [Option]
        do throws(Fault) {
            options = try Self.parse(text)
        } catch {
            throw fault(error.line, error.reason)
        }
        var list = OptionList()
        for option in options {
            if option.name == "include" {
                list.append(try included(option, depth))
            } else {
                list.append(try checked(option))
            }
        }
        return list
    }

    /// Whether a folder above the file may not be searched, as the home of another user or one that a service hides.
    private var isInClosedFolder: Bool { access(path.folderPath ?? ".", X_OK) != 0 && errno == EACCES }

    private func text(isRequired: Bool) throws(ValidationError) -> String? {
        guard let file = fopen(path, "re") else {
            let code = errno
            if !isRequired, code == ENOENT || code == ENOTDIR || isInClosedFolder { return nil }
            throw unreadable(String(cString: strerror(code)))
        }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: Self.maximumByteCount + 1)
        let count = fread(&bytes, 1, bytes.count, file)
        if ferror(file) != 0 { throw unreadable("cannot be read.") }
        guard count <= Self.maximumByteCount else {
            throw unreadable("larger than 1 MiB.")
        }
        guard let text = String(validating: bytes[..<count], as: UTF8.self) else {
            throw unreadable("not UTF-8.")
        }
        return text
    }

    private func included(_ option: Option, _ depth: Int) throws(ValidationError) -> OptionList {
        guard let name = option.value, !name.isEmpty else {
            throw fault(option.line, "include: expected a file.")
        }
        guard depth < Self.maximumDepth else { throw fault(option.line, "include: more than 8 files deep.") }
        let folder = path.folderPath ?? ""
        var file = ConfigurationFile(path: name.hasPrefix("/") ? name : folder + name)
        file.includer = "\(path):\(option.line)"
        return try file.options(isRequired: true, depth: depth + 1)
    }

    /// Returns an option under the names of `play`, after the parser has accepted it.
    private func checked(_ option: Option) throws(ValidationError) -> OptionList {
        let argument = "--" + option.name + (option.value.map { "=" + $0 } ?? "")
        guard !["help", "version", "config", "no-config"].contains(option.name) else {
            throw fault(option.line, "'\(option.name)' is for the command line only.")
        }
        do throws(ValidationError) {
            let list = OptionList(try OtherPlayers.replaced([argument]))
            try PlayOptions.check(list.arguments)
            return list
        } catch {
            throw fault(option.line, error.message)
        }
    }

    private func unreadable(_ reason: String) -> ValidationError {
        ValidationError(oneLine((includer.map { "\($0): include: " } ?? "") + "\(path): \(reason)"))
    }

    private func fault(_ line: Int, _ reason: String) -> ValidationError {
        ValidationError(oneLine("\(path):\(line): \(reason)"))
    }

    // MARK: Syntax

    /// Splits text into options, with mpv's rules.
    ///
    /// - Throws: `Fault` for the first line that is not an option.
    static func parse(_ text: String) throws(Fault) -> [Option] {
        var options: [Option] = []
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.endsLine)
        for (index, line) in lines.enumerated() {
            if let option = try parse(line, number: index + 1) { options.append(option) }
        }
        return options
    }

    private static func parse(_ text: Substring, number: Int) throws(Fault) -> Option? {
        var rest = text
        if number == 1, rest.first == "\u{FEFF}" { rest.removeFirst() }
        rest = rest.drop(while: isBlank)
        guard let first = rest.first, first != "#" else { return nil }
        if first == "[" { throw Fault(line: number, reason: "profiles are not available.") }
        let name = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }
        guard !name.isEmpty, name.first != "-" else {
            throw Fault(line: number, reason: "expected the name of an option, without dashes.")
        }
        rest = rest.dropFirst(name.count).drop(while: isBlank)
        guard rest.first == "=" else {
            try requireEnd(rest, number)
            return Option(line: number, name: String(name), value: nil)
        }
        rest = rest.dropFirst().drop(while: isBlank)
        let value: Substring
        switch rest.first {
        case "\""?, "'"?:
            let quote = rest.removeFirst()
            guard let end = rest.firstIndex(of: quote) else {
                throw Fault(line: number, reason: "a quotation mark is missing.")
            }
            value = rest[..<end]
            rest = rest[end...].dropFirst()
        case "%"?:
            let digits = rest.dropFirst().prefix { $0 != "%" }
            let bytes = rest.dropFirst(digits.count + 1).utf8
            guard let count = Int(digits), count >= 0, bytes.first == UInt8(ascii: "%"), bytes.count > count,
                let taken = String(validating: bytes.dropFirst().prefix(count), as: UTF8.self),
                let left = String(validating: bytes.dropFirst(count + 1), as: UTF8.self)
            else { throw Fault(line: number, reason: "expected %N% and a value of N bytes.") }
            value = Substring(taken)
            rest = Substring(left)
        default:
            let all = rest.prefix { $0 != "#" }
            rest = rest.dropFirst(all.count)
            value = all.lastIndex { !isBlank($0) }.map { all[...$0] } ?? ""
        }
        try requireEnd(rest, number)
        return Option(line: number, name: String(name), value: String(value))
    }

    private static func requireEnd(_ rest: Substring, _ number: Int) throws(Fault) {
        let rest = rest.drop(while: isBlank)
        guard rest.isEmpty || rest.first == "#" else {
            throw Fault(line: number, reason: "unexpected characters at the end of the line.")
        }
    }

    private static func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }
}

extension Character {
    /// Whether the character ends a line of a file: LF, CR or both. Other separators of Unicode may be a part of a name.
    var endsLine: Bool { self == "\n" || self == "\r" || self == "\r\n" }
}
