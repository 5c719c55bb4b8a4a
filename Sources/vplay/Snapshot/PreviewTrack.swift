import FoundationEssentials
import Glibc
import PlayheadCore

/// A WebVTT file that assigns a part of an image to each time interval, as players use it for previews.
struct PreviewTrack {
    private let duration: Int64
    private let count: Int64
    private var cues: [(image: String, rect: PixelRect)] = []

    /// Creates a track of `count` equal intervals.
    init(duration: MediaTime, count: Int) {
        self.duration = duration.rescaled(to: 1000, rounding: .roundHalfAwayFromZero).value
        self.count = Int64(count)
    }

    /// Appends the image of the next interval.
    mutating func add(image: String, _ rect: PixelRect) { cues.append((image, rect)) }

    /// Returns the text of the file. Images in the folder of `path` or below are named relative to it.
    func text(relativeTo path: String) -> String {
        let folder = URL(literalPath: path).deletingLastPathComponent().standardizedFileURL.path
        var text = "WEBVTT\n"
        for (index, cue) in cues.enumerated() {
            let (start, end) = (time(Int64(index)), time(Int64(index) + 1))
            let rect = cue.rect
            text += "\n\(start) --> \(end)\n"
            text += "\(Self.reference(to: cue.image, from: folder))"
            text += "#xywh=\(rect.x),\(rect.y),\(rect.width),\(rect.height)\n"
        }
        return text
    }

    /// Returns the start of an interval as "hh:mm:ss.mmm".
    private func time(_ part: Int64) -> String {
        // The product of a duration that a file declares may not fit.
        let milliseconds = Int64(clamping: Int128(duration) * Int128(part) / Int128(count))
        func digits(_ value: Int64, _ count: Int) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let seconds = milliseconds / 1000
        return digits(seconds / 3600, 2) + ":" + digits(seconds / 60 % 60, 2) + ":" + digits(seconds % 60, 2)
            + "."
            + digits(milliseconds % 1000, 3)
    }

    /// Returns a URL reference to an image, percent-encoded.
    private static func reference(to image: String, from folder: String) -> String {
        let path = URL(literalPath: image).standardizedFileURL.path
        let name = path.hasPrefix(folder + "/") ? String(path.dropFirst(folder.count + 1)) : path
        // A colon would make a scheme of what is before it.
        return name.unicodeScalars.map { scalar in
            let isPlain =
                scalar.isASCII
                && (scalar.properties.isAlphabetic
                    || "0123456789!$&'()*+,-./=@_~".unicodeScalars.contains(scalar))
            return isPlain
                ? String(scalar) : String(scalar).utf8.map { String(printf: "%%%02X", $0) }.joined()
        }.joined()
    }
}
