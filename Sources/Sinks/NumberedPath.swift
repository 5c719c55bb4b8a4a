public import MediaCore

/// A path, or a pattern for many: one %d in it, or one such as %06d, stands for a number; %% stands for a percent sign.
public struct NumberedPath: Hashable, Sendable, CustomStringConvertible {
    /// As given.
    public let description: String
    private let prefix: String
    private let suffix: String
    /// Digits at least; nil: there is no number.
    private let width: Int?

    /// nil for a percent sign that stands for nothing, and for a second number.
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

    /// There is a number in it.
    public var isPattern: Bool { width != nil }

    /// The path with that number; the same for each where there is no number in it.
    public func path(_ number: Int) -> String {
        guard let width else { return prefix }
        let digits = String(number)
        return prefix + String(repeating: "0", count: max(0, width - digits.count)) + digits + suffix
    }

    /// Whether `path` can be one of them.
    public func matches(_ path: String) -> Bool {
        guard width != nil else { return path == prefix }
        guard path.hasPrefix(prefix), path.hasSuffix(suffix) else { return false }
        let count = path.utf8.count - prefix.utf8.count - suffix.utf8.count
        guard count > 0 else { return false }
        let digits = path.dropFirst(prefix.count).dropLast(suffix.count)
        return Int(digits).map { $0 >= 0 && self.path($0) == path } ?? false
    }

    /// What the path's end says of the format.
    public var imageFormat: ImageFileFormat? {
        let name = path(1).split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        guard let point = name.lastIndex(of: "."), point != name.startIndex else { return nil }
        return ImageFileFormat(pathExtension: String(name[name.index(after: point)...]))
    }
}
