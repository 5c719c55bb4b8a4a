public import MediaCore

/// A path, or a pattern for numbered paths.
///
/// In a pattern, one `%d`, or a form such as `%06d`, is replaced by the number. `%%` is a percent sign.
public struct NumberedPath: Hashable, Sendable, CustomStringConvertible {
    /// The text given to the initializer.
    public let description: String
    private let prefix: String
    private let suffix: String
    /// The minimum number of digits; nil if the text is not a pattern.
    private let width: Int?

    /// Creates a path or pattern. Returns nil if the text contains a percent sign without meaning, or more than one
    /// number.
    ///
    /// - Parameter text: The path or pattern.
    public init?(_ text: String) {
        description = text
        var parts = [""]
        var width: Int?
        var rest = text[...]
        while let next = rest.popFirst() {
            guard next == "%" else {
                parts[parts.count - 1].append(next)
                continue
            }
            if rest.first == "%" {
                rest.removeFirst()
                parts[parts.count - 1].append("%")
                continue
            }
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(digits.count)
            guard width == nil, rest.popFirst() == "d", digits.isEmpty || digits.first == "0",
                let digitCount = digits.isEmpty ? 0 : Int(digits), digitCount <= 20
            else { return nil }
            width = digitCount
            parts.append("")
        }
        prefix = parts[0]
        suffix = parts.count > 1 ? parts[1] : ""
        self.width = width
    }

    /// A Boolean value that indicates whether the path contains a number.
    public var isPattern: Bool { width != nil }

    /// Returns the path with a number.
    ///
    /// - Parameter number: The number to insert.
    /// - Returns: The path; always the same one if this is not a pattern.
    public func path(_ number: Int) -> String {
        guard let width else { return prefix }
        let digits = String(number)
        return prefix + String(repeating: "0", count: max(0, width - digits.count)) + digits + suffix
    }

    /// Returns whether `path` is one of the paths that the pattern produces.
    public func matches(_ path: String) -> Bool {
        guard width != nil else { return path == prefix }
        guard path.hasPrefix(prefix), path.hasSuffix(suffix) else { return false }
        let count = path.utf8.count - prefix.utf8.count - suffix.utf8.count
        guard count > 0 else { return false }
        let digits = path.dropFirst(prefix.count).dropLast(suffix.count)
        return Int(digits).map { $0 >= 0 && self.path($0) == path } ?? false
    }

    /// The image format for the path's extension; nil if there is none.
    public var imageFormat: ImageFileFormat? {
        let name = path(1).split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        guard let point = name.lastIndex(of: "."), point != name.startIndex else { return nil }
        return ImageFileFormat(pathExtension: String(name[name.index(after: point)...]))
    }
}
