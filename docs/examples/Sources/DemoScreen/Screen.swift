import Foundation
public import Playhead
public import PlayheadFeed
import WindowSink

/// The screen of the feed examples: a window, or with `--sheet FILE.png` a contact sheet of what a window would show.
@MainActor public final class Screen {
    /// The picture with all cells.
    public let composite: CompositeSink
    /// The command's arguments without `--sheet`.
    public let arguments: [String]
    /// The window, or nil for a contact sheet.
    public let window: WindowSink?
    private let size: PixelSize
    private let sheet: String?
    private var shots: [VideoFrame] = []

    /// Reads the command line, and opens the window.
    ///
    /// - Parameters:
    ///   - usage: The arguments of the command, for the message if they are wrong.
    ///   - size: The size of the picture in pixels.
    ///   - isValid: Whether the arguments are accepted.
    public init(_ usage: String, width: Int, height: Int, where isValid: ([String]) -> Bool) {
        var rest = Array(CommandLine.arguments.dropFirst())
        let option = rest.firstIndex(of: "--sheet")
        sheet = option.flatMap { rest.indices.contains($0 + 1) ? rest[$0 + 1] : nil }
        if let option, sheet != nil { rest.removeSubrange(option...(option + 1)) }
        let name = URL(fileURLWithPath: CommandLine.arguments[0]).lastPathComponent
        guard isValid(rest), (option == nil) == (sheet == nil) else {
            FileHandle.standardError.write(Data("usage: \(name) [--sheet FILE.png] \(usage)\n".utf8))
            exit(64)
        }
        arguments = rest
        size = PixelSize(width: width, height: height)
        composite = CompositeSink(size: size, backgroundColor: Color(red: 0.13, green: 0.13, blue: 0.15))
        window = sheet == nil ? WindowSink(title: name) : nil
        guard let window else { return }
        composite.setFailureHandler { error in
            FileHandle.standardError.write(
                Data("\(error.message)\nWithout a display, use --sheet FILE.png\n".utf8)
            )
            exit(1)
        }
        window.setEventHandler { event in
            if case .closeRequested = event { exit(0) }
        }
        composite.add(window)
    }

    /// Makes a place in the picture.
    public func region(_ x: Int, _ y: Int, _ width: Int, _ height: Int, above: Double = 0) -> CompositeRegion
    {
        let region = composite.makeRegion(
            PixelRect(x: x, y: y, width: width, height: height),
            zPosition: above
        )
        // When a cell shows another clip, the frame of the previous one disappears.
        region.clearsOnFlush = true
        return region
    }

    /// Makes a cell's layer with a place in the picture.
    public func cell(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> (FeedLayer, CompositeRegion) {
        let region = region(x, y, width, height)
        let layer = FeedLayer(size: PixelSize(width: width, height: height))
        layer.backgroundColor = .black
        layer.add(region)
        return (layer, region)
    }

    /// Lets time pass, then adds the present picture to the contact sheet.
    public func wait(seconds: Double) async throws {
        try await Task.sleep(for: .seconds(seconds))
        if sheet != nil, let picture = composite.makePicture() { shots.append(picture) }
    }

    /// Writes the contact sheet, or closes the window.
    ///
    /// - Parameter columns: The number of pictures in a row of the sheet.
    public func finish(columns: Int) async throws {
        await composite.finish()
        guard let sheet else { return }
        let rows = (shots.count + columns - 1) / columns
        let (width, height) = (size.width + 8, size.height + 8)
        let whole = CompositeSink(
            size: PixelSize(width: width * columns, height: height * rows),
            backgroundColor: .white
        )
        for (index, shot) in shots.enumerated() {
            let (x, y) = (index % columns * width + 4, index / columns * height + 4)
            try whole.makeRegion(PixelRect(x: x, y: y, width: size.width, height: size.height)).present(shot)
        }
        guard let picture = whole.makePicture() else { return }
        try Data(ImageEncoder(.png).encode(picture)).write(to: URL(fileURLWithPath: sheet))
        print("\(sheet): \(shots.count) pictures")
    }
}
