import ArgumentParser
import FoundationEssentials
import Glibc
import PlayheadCore

/// The validated options of `frames`.
struct FramesOptions: Sendable {
    /// The form of the output.
    enum Output: Sendable {
        case array(String)
        case images(ImageNames)
        case raw(String)
    }

    let input: Input
    let network: NetworkOptions
    let output: Output
    let sampling: FrameSampling
    let size: PixelSize?
    let gravity: VideoGravity
    let layout: PixelLayout
    let hasHeader: Bool

    static let maximumFrameCount = 1 << 24

    init(_ command: FramesCommand) throws(ValidationError) {
        guard let input = Input(command.input) else {
            throw ValidationError("\(Input.refusal(of: command.input)).")
        }
        self.input = input
        network = command.connection.options(command.httpHeader)
        size = command.size?.size
        gravity = command.gravity
        sampling = try Self.sampling(command)
        hasHeader = command.header
        let format = PixelFormat(rawValue: command.pixelFormat)
        guard format == .rgbf32 || RawVideoSink.writablePixelFormats.contains(format) else {
            throw ValidationError(oneLine("--pixel-format \(command.pixelFormat): unknown pixel format."))
        }
        layout = PixelLayout(format)
        output = try Self.output(command, layout)
        if hasHeader, case .raw = output {
        } else if hasHeader {
            throw ValidationError("--header is for raw frames.")
        }
        try checkPipe()
        try refuseInputAsOutput(command)
    }

    /// The times of --count and --at are found by seeking, and a header with times needs the duration.
    private func checkPipe() throws(ValidationError) {
        guard input.isPipe else { return }
        let refused: String? =
            switch sampling {
            case .uniform: "--count needs"
            case .times: "--at needs"
            case .rate where hasHeader: "--fps with --header needs"
            case .all, .rate, .keyFrames: nil
            }
        if let refused {
            throw ValidationError("\(input.sentenceName) can be read only once; \(refused) a file.")
        }
    }

    private static func sampling(_ command: FramesCommand) throws(ValidationError) -> FrameSampling {
        let given = [command.count != nil, command.fps != nil, !command.at.isEmpty, command.keyFrames].count {
            $0
        }
        guard given <= 1 else {
            throw ValidationError("--count, --fps, --at and --key-frames exclude one another.")
        }
        if let limit = command.limit {
            guard command.fps != nil else { throw ValidationError("--limit needs --fps.") }
            guard (1...maximumFrameCount).contains(limit) else {
                throw ValidationError("--limit must be 1 to \(maximumFrameCount).")
            }
        }
        if let count = command.count {
            guard (1...maximumFrameCount).contains(count) else {
                throw ValidationError("--count must be 1 to \(maximumFrameCount).")
            }
            return .uniform(count: count)
        }
        if let fps = command.fps {
            guard fps > 0, fps <= 1000 else {
                throw ValidationError("--fps must be more than 0, at most 1000.")
            }
            return .rate(perSecond: fps, limit: command.limit)
        }
        if !command.at.isEmpty { return .times(command.at.map(\.time)) }
        return command.keyFrames ? .keyFrames : .all
    }

    private static func output(_ command: FramesCommand, _ layout: PixelLayout) throws(ValidationError)
        -> Output
    {
        let path = command.output
        if path == "-" {
            guard isatty(STDOUT_FILENO) == 0 else {
                throw ValidationError("Raw frames are not written to a terminal; use a pipe or a file.")
            }
            return .raw(path)
        }
        if path.lowercased().hasSuffix(".npy") {
            guard layout.channels != nil else {
                throw ValidationError(
                    oneLine(
                        "--pixel-format \(command.pixelFormat) has planes; a NumPy file needs rgb24, rgbf32, gray or similar."
                    )
                )
            }
            return .array(path)
        }
        // A pattern that is not valid has the extension of an image, too.
        let ending = URL(fileURLWithPath: path, isDirectory: false).pathExtension
        guard ImageFileFormat(pathExtension: ending) != nil else { return .raw(path) }
        let names = try ImageNames(path)
        guard names.path.isPattern else {
            throw ValidationError("\(oneLine(path)): images need %d in the name.")
        }
        guard command.pixelFormat == "rgb24" else {
            throw ValidationError("--pixel-format is not for images.")
        }
        return .images(names)
    }

    private func refuseInputAsOutput(_ command: FramesCommand) throws(ValidationError) {
        var outputs: [FileIdentity: String] = [:]
        let paths: [String] =
            if case .images(let names) = output { names.path.existingPaths } else { [command.output] }
        for path in paths {
            if let identity = FileIdentity(output: path) {
                outputs[identity] = path == "-" ? "standard output" : path
            }
        }
        try outputs.refuseInputs([input])
    }
}
