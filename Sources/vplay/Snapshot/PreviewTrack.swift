import Foundation
import Playhead

/// A WebVTT file that names an image for each part of the time, as players' previews read it.
struct PreviewTrack {
    private let duration: Int64
    private let count: Int64
    private var cues: [(image: String, place: PixelRect)] = []

    /// `count` equal parts.
    init(duration: MediaTime, count: Int) {
        self.duration = duration.rescaled(to: 1000, rounding: .roundHalfAwayFromZero).value
        self.count = Int64(count)
    }

    /// For the part that comes next.
    mutating func add(image: String, _ place: PixelRect) { cues.append((image, place)) }

    /// Images are named as they lie from the folder of `path`, if they lie below it.
    func text(relativeTo path: String) -> String {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().standardizedFileURL.path
        var text = "WEBVTT\n"
        for (index, cue) in cues.enumerated() {
            let (start, end) = (time(Int64(index)), time(Int64(index) + 1))
            let place = cue.place
            text += "\n\(start) --> \(end)\n"
            text += "\(Self.reference(to: cue.image, from: folder))"
            text += "#xywh=\(place.x),\(place.y),\(place.width),\(place.height)\n"
        }
        return text
    }

    /// "hh:mm:ss.mmm", where a part begins.
    private func time(_ part: Int64) -> String {
        let milliseconds = duration * part / count
        func digits(_ value: Int64, _ count: Int) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let seconds = milliseconds / 1000
        return digits(seconds / 3600, 2) + ":" + digits(seconds / 60 % 60, 2) + ":" + digits(seconds % 60, 2)
            + "."
            + digits(milliseconds % 1000, 3)
    }

    /// A URL: what it may not hold is written with a percent sign.
    private static func reference(to image: String, from folder: String) -> String {
        let path = URL(fileURLWithPath: image).standardizedFileURL.path
        let name = path.hasPrefix(folder + "/") ? String(path.dropFirst(folder.count + 1)) : path
        return name.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? name
    }
}
