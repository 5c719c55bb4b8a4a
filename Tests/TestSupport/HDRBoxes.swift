package import Foundation
package import Playhead

/// MP4 boxes for the mastering display (`mdcv`) and the content light level (`clli`). FFmpeg 5.1 does not write them
/// when it encodes.
package struct HDRBoxes {
    private let bytes: [UInt8]

    package init(_ display: MasteringDisplay, _ level: ContentLightLevel) {
        let colors = display.primaries.map { [$0.green, $0.blue, $0.red, $0.whitePoint] } ?? []
        let places = colors.flatMap {
            Self.bytes(Int($0.x.numerator), 2) + Self.bytes(Int($0.y.numerator), 2)
        }
        let luminance = [display.luminance?.maximum, display.luminance?.minimum]
            .flatMap { Self.bytes(Int($0?.numerator ?? 0), 4) }
        bytes =
            Self.box("mdcv", places + luminance)
            + Self.box("clli", Self.bytes(level.maximum, 2) + Self.bytes(level.maximumFrameAverage, 2))
    }

    /// Returns the file with the boxes in the first track's sample entry, which is named `entry`. Returns nil unless
    /// the movie box is the last one and its first track contains video.
    package func added(toFirst entry: String, of file: Data) -> Data? {
        var file = [UInt8](file)
        var (start, end) = (0, file.count)
        var headers: [Int] = []
        for name in ["moov", "trak", "mdia", "minf", "stbl", "stsd", entry] {
            // A list of sample entries has a version and a count before its boxes.
            if headers.count == 6 { start += 8 }
            while start + 8 <= end, !file[(start + 4)..<(start + 8)].elementsEqual(name.utf8) {
                start += Self.size(at: start, in: file)
            }
            guard start + 8 <= end else { return nil }
            headers.append(start)
            end = start + Self.size(at: start, in: file)
            start += 8
        }
        guard headers.first.map({ $0 + Self.size(at: $0, in: file) }) == file.count else { return nil }
        file.insert(contentsOf: bytes, at: end)
        for header in headers {
            let size = Self.size(at: header, in: file) + bytes.count
            file.replaceSubrange(header..<(header + 4), with: Self.bytes(size, 4))
        }
        return Data(file)
    }

    private static func box(_ name: String, _ body: [UInt8]) -> [UInt8] {
        bytes(body.count + 8, 4) + Array(name.utf8) + body
    }

    /// Returns the big-endian bytes of a value.
    private static func bytes(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private static func size(at offset: Int, in file: [UInt8]) -> Int {
        max(8, file[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) })
    }
}
