import ArgumentParser
import FoundationEssentials
import PlayheadCore
import TerminalSink

/// The value of `--video`: the destination of video frames.
enum VideoSinkArgument: Hashable, Sendable {
    /// A window if there is a display, otherwise null; see `PlayOptions.chooseVideo`.
    case automatic
    case window
    case null
    /// Video is not decoded.
    case none
    case y4m(path: String)
    case raw(path: String)
    case framemd5(path: String)
    case images(path: NumberedPath)
    /// Frames on the terminal. Nil selects the graphics protocol by the environment.
    case terminal(TerminalGraphics?)

    init(_ text: String) throws(ValidationError) {
        let (name, path) = splitSink(text)
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
        case ("terminal", let name?):
            guard let graphics = TerminalGraphics(rawValue: name) else {
                let names = TerminalGraphics.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError(oneLine("--video \(text): expected one of \(names)."))
            }
            self = .terminal(graphics)
        default:
            throw ValidationError(
                """
                --video \(text): expected auto, window, terminal, null, none, y4m:PATH, raw:PATH, framemd5:PATH or \
                images:PATH.
                """
            )
        }
    }

    /// The values that `--pixel-format` accepts for this sink, or nil if the sink does not use it.
    var writablePixelFormats: [PixelFormat]? {
        switch self {
        case .raw: RawVideoSink.writablePixelFormats
        case .y4m: Y4MSink.writablePixelFormats
        case .automatic, .window, .null, .none, .framemd5, .images, .terminal: nil
        }
    }

    /// The path that the sink writes, or nil if it writes no file. An image sequence returns its first path.
    var path: String? {
        switch self {
        case .automatic, .window, .null, .none: nil
        case .y4m(let path), .raw(let path), .framemd5(let path): path
        case .images(let path): path.path(1)
        // The terminal is standard output, so no other sink may write to it.
        case .terminal: "-"
        }
    }

    /// The existing files that the sink would overwrite.
    var existingPaths: [String] {
        if case .images(let images) = self { return images.existingPaths }
        return path.map { [$0] } ?? []
    }
}

extension NumberedPath {
    /// The existing files that numbered images could replace.
    var existingPaths: [String] {
        guard isPattern else { return [path(1)] }
        let folder = path(1).folderPath ?? ""
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)
                .map { folder + $0 }.filter(matches)
        } catch {
            // Writing to this folder fails as well, and the output reports the reason.
            return []
        }
    }
}

/// The value of `--audio`: the destination of audio.
enum AudioSinkArgument: Hashable, Sendable {
    case automatic
    /// An audio server, which must be available. Nil selects its default device.
    case pulse(device: String?)
    /// An ALSA device, which must be available. Nil selects `default`.
    case alsa(device: String?)
    case null
    /// Audio is not decoded.
    case none
    case wav(path: String)

    init(_ text: String) throws(ValidationError) {
        let (name, path) = splitSink(text)
        switch (name, path) {
        case ("auto", nil): self = .automatic
        case ("null", nil): self = .null
        case ("none", nil): self = .none
        case ("wav", let path?): self = .wav(path: path)
        case ("pulse", let device): self = .pulse(device: device)
        case ("alsa", let device): self = .alsa(device: device)
        default:
            throw ValidationError(
                "--audio \(text): expected auto, pulse, pulse:DEVICE, alsa, alsa:DEVICE, null, none or wav:PATH."
            )
        }
    }

    var path: String? {
        if case .wav(let path) = self { return path }
        return nil
    }

    /// The name of the sink, if it plays on a device that must be available.
    var requiredDeviceKind: String? {
        switch self {
        case .pulse: "pulse"
        case .alsa: "alsa"
        case .automatic, .null, .none, .wav: nil
        }
    }
}

/// Splits a sink such as "y4m:out.y4m" into name and path. An empty path is treated as missing.
private func splitSink(_ text: String) -> (name: String, path: String?) {
    guard let colon = text.firstIndex(of: ":") else { return (text, nil) }
    let path = text[text.index(after: colon)...]
    return (String(text[..<colon]), path.isEmpty ? nil : String(path))
}
