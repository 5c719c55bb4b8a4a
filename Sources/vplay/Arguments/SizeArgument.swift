import ArgumentParser
import Playhead

/// "640x360".
struct SizeArgument: ExpressibleByArgument, Sendable {
    let size: PixelSize

    init?(argument: String) {
        let parts = argument.split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Self.side(parts[0]), let height = Self.side(parts[1]) else {
            return nil
        }
        size = PixelSize(width: width, height: height)
    }

    /// 16,384 is what the largest frame formats end at.
    private static func side(_ text: Substring) -> Int? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = Int(text) else { return nil }
        return (1...16_384).contains(value) ? value : nil
    }
}
