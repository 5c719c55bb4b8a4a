import ArgumentParser

/// The options and inputs of `play` in order, each with its tokens for the parser.
struct OptionList: Sendable {
    private struct Element: Sendable {
        /// The name with its dashes, or nil for an input.
        let name: String?
        let tokens: [String]

        /// The name under which the option is replaced.
        var group: String? { name.map { OptionList.groups[$0] ?? $0 } }

        /// Whether the negation of a flag removes the option.
        func isSwitchedOff(by flag: String) -> Bool {
            name.map { OptionList.completedFlags[$0] ?? $0 } == flag
        }
    }

    private var elements: [Element] = []

    /// Options that complete flags are replaced together with them, and switched off with them.
    private static let completedFlags = [
        "--repeat": "--loop", "--shuffle-seed": "--shuffle", "--resume-file": "--resume",
    ]
    /// Options that complete or exclude others are replaced together with them.
    private static let groups = completedFlags.merging([
        "--audio-languages": "--audio-track", "--subtitle-languages": "--subtitle-track",
        "--verbose": "--quiet", "--http-token-file": "--http-token",
    ]) { $1 }

    /// Creates a list from arguments under the names of `play`. `--no-NAME` switches off what an earlier argument has
    /// switched on.
    init(_ arguments: [String] = []) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                elements.append(Element(name: nil, tokens: [argument] + rest))
                return
            }
            guard argument.hasPrefix("-"), argument != "-" else {
                elements.append(Element(name: nil, tokens: [argument]))
                continue
            }
            var tokens = [argument]
            if OtherPlayers.valueOptions.contains(argument), let value = rest.popFirst() {
                tokens.append(value)
            }
            append(Element(name: String(argument.prefix { $0 != "=" }), tokens: tokens))
        }
    }

    private mutating func append(_ element: Element) {
        elements.append(element)
        guard let name = element.name, let flag = Self.negatedFlag(name) else { return }
        // The negation stays: it also applies to options of files.
        elements.removeAll { $0.isSwitchedOff(by: flag) }
    }

    /// Returns the flag that `--no-NAME` switches off, or nil if the name is another one.
    private static func negatedFlag(_ name: String) -> String? {
        guard name.hasPrefix("--no-"), OtherPlayers.flags.contains(String(name.dropFirst(5))) else {
            return nil
        }
        return "--" + name.dropFirst(5)
    }

    func contains(_ name: String) -> Bool { elements.contains { $0.name == name } }

    /// The values of an option, in order.
    func values(of name: String) -> [String] {
        elements.compactMap { element in
            guard element.name == name, let first = element.tokens.first else { return nil }
            if element.tokens.count > 1 { return element.tokens[1] }
            return first.contains("=") ? String(first.drop { $0 != "=" }.dropFirst()) : nil
        }
    }

    /// Appends the options of another list, without regard to those that exist.
    mutating func append(_ other: OptionList) {
        for element in other.elements { append(element) }
    }

    /// Returns the list with the options of `other` that it does not have itself.
    func with(defaults other: OptionList) -> OptionList {
        let groups = Set(elements.compactMap(\.group))
        let negated = elements.compactMap { $0.name.flatMap(Self.negatedFlag) }
        let video = values(of: "--video")
        let hasWindow = video.isEmpty || video.contains("window") || video.contains("auto")
        let added = other.elements.filter { element in
            guard let group = element.group, !groups.contains(group),
                !negated.contains(where: element.isSwitchedOff)
            else { return false }
            // These concern windows alone.
            return hasWindow || (group != "--fullscreen" && group != "--display")
        }
        var list = self
        // The word `play` stays the first one.
        let index = elements.first?.tokens == ["play"] ? 1 : 0
        list.elements.insert(contentsOf: added, at: index)
        return list
    }

    /// The arguments for the parser.
    var arguments: [String] {
        elements.flatMap { element in
            element.name.flatMap(Self.negatedFlag) == nil ? element.tokens : []
        }
    }
}
