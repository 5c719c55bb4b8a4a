import ArgumentParser
import Foundation
import Playhead
import TerminalSink

/// Where frames go, by the word after `--video`.
enum VideoSinkArgument: Hashable, Sendable {
    /// A window where somebody can see one, else nowhere; see `PlayOptions.chooseVideo`.
    case automatic
    case window
    case null
    /// No frames are decoded.
    case none
    case y4m(path: String)
    case raw(path: String)
    case framemd5(path: String)
    case images(path: NumberedPath)
    /// nil: as the terminal can.
    case terminal(TerminalGraphics?)

    init(_ text: String) throws(ValidationError) {
        let (name, path) = try splitSink(text)
        switch (name, path) {
        case ("auto", nil): self = .automatic
        case ("window", nil): self = .window
        case ("null", nil): self = .null
        case ("none", nil): self = .none
        case ("y4m", let path?): self = .y4m(path: path)
        case ("raw", let path?): self = .raw(path: path)
        case ("framemd5", let path?): self = .framemd5(path: path)
        case ("images", let path?):
            let images = try ImageNames.path(path)
            guard images.imageFormat != nil else {
                throw ValidationError(
                    "--video \(text): expected a name that ends in .png, .jpg, .jpeg or .webp."
                )
            }
            self = .images(path: images)
        case ("terminal", nil): self = .terminal(nil)
        case ("terminal", let word?):
            guard let pictures = TerminalGraphics(rawValue: word) else {
                let words = TerminalGraphics.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError(oneLine("--video \(text): expected one of \(words)."))
            }
            self = .terminal(pictures)
        default:
            throw ValidationError(
                """
                --video \(text): expected auto, window, terminal, null, none, y4m:PATH, raw:PATH, framemd5:PATH or \
                images:PATH.
                """
            )
        }
    }

    /// What `--pixel-format` may be; nil: it does not concern the sink.
    var writablePixelFormats: [PixelFormat]? {
        switch self {
        case .raw: RawVideoSink.writablePixelFormats
        case .y4m: Y4MSink.writablePixelFormats
        case .automatic, .window, .null, .none, .framemd5, .images, .terminal: nil
        }
    }

    /// Of a file that is there, or will be.
    var path: String? {
        switch self {
        case .automatic, .window, .null, .none: nil
        case .y4m(let path), .raw(let path), .framemd5(let path): path
        case .images(let path): path.path(1)
        // It is written to as a file would be.
        case .terminal: "-"
        }
    }

    /// What is there now and would be written over.
    var existingPaths: [String] {
        guard case .images(let images) = self, images.isPattern else { return path.map { [$0] } ?? [] }
        let first = images.path(1)
        let folder = first.lastIndex(of: "/").map { String(first[...$0]) } ?? ""
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)
                .map { folder + $0 }.filter(images.matches)
        } catch {
            // Nothing can be written there either, and whoever tries tells why.
            return []
        }
    }
}

/// Where audio goes, by the word after `--audio`.
enum AudioSinkArgument: Hashable, Sendable {
    case automatic
    /// The sound server must be there. nil: its default device.
    case pulse(device: String?)
    case null
    /// No audio is decoded.
    case none
    case wav(path: String)

    init(_ text: String) throws(ValidationError) {
        let (name, path) = try splitSink(text)
        switch (name, path) {
        case ("auto", nil): self = .automatic
        case ("null", nil): self = .null
        case ("none", nil): self = .none
        case ("wav", let path?): self = .wav(path: path)
        case ("pulse", let device): self = .pulse(device: device)
        default:
            throw ValidationError(
                "--audio \(text): expected auto, pulse, pulse:DEVICE, null, none or wav:PATH."
            )
        }
    }

    var path: String? {
        if case .wav(let path) = self { return path }
        return nil
    }
}

/// "y4m:out.y4m" in two; an empty path counts as none.
private func splitSink(_ text: String) throws(ValidationError) -> (name: String, path: String?) {
    guard RawArguments.bytes(of: text) == nil else {
        throw ValidationError("\(oneLine(text)): only inputs may have names that are no UTF-8.")
    }
    guard let colon = text.firstIndex(of: ":") else { return (text, nil) }
    let path = text[text.index(after: colon)...]
    return (String(text[..<colon]), path.isEmpty ? nil : String(path))
}
