import ArgumentParser
import PlayheadCore

/// A size such as "640x360".
struct SizeArgument: ExpressibleByArgument, Sendable {
    let size: PixelSize

    init?(argument: String) {
        let parts = argument.split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Self.side(parts[0]), let height = Self.side(parts[1]) else {
            return nil
        }
        size = PixelSize(width: width, height: height)
    }

    /// Returns the length of a side: 1 to 16,384, the limit of the largest frame formats.
    private static func side(_ text: Substring) -> Int? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = Int(text) else { return nil }
        return (1...16_384).contains(value) ? value : nil
    }
}
