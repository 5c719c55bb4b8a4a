import Dispatch
import FoundationEssentials
import Glibc
import PlayheadCore
import Synchronization

extension PlaySession {
    /// Saves the current frame without interrupting playback, in its display size and independent of the sinks.
    func saveSnapshot() {
        guard state.withLock({ $0.snapshot == nil }) else {
            return notice("the previous frame is still being saved")
        }
        guard let playback = activePlayback, layers.contains(where: \.isReadyForDisplay),
            !playback.item.presentationSize.isEmpty
        else {
            return notice("no frame to save")
        }
        guard let names = SnapshotNames(for: playback.entry.input) else {
            return notice("the input has no name")
        }
        saveFrame(of: playback.item, as: .png) {
            try names.write(ImageEncoder(.png).encode($0))
        } completion: { [weak self] result in
            switch result {
            case .success(let path): self?.notice(path)
            // The reason may be longer than the status line.
            case .failure(let error): Console.shared.printError("frame not saved: \(error)")
            }
        }
    }

    /// Saves the current frame under a path, in the format of its extension. An existing file is replaced.
    ///
    /// - Parameters:
    ///   - path: The path, which ends in .png, .jpg or .webp.
    ///   - hasSubtitles: Whether subtitles are drawn.
    ///   - completion: Called once, on any thread.
    func saveFrame(to path: String, hasSubtitles: Bool, completion: @escaping SnapshotSink.Completion) {
        guard state.withLock({ $0.snapshot == nil }), let item = activePlayback?.item,
            !item.presentationSize.isEmpty
        else {
            return completion(
                .failure(PlaybackError(code: .operationNotAllowed, message: "no frame to save"))
            )
        }
        let url = URL(fileURLWithPath: path)
        let format = ImageFileFormat(pathExtension: url.pathExtension)
        saveFrame(of: item, as: format, hasSubtitles: hasSubtitles) { frame in
            try frame.write(to: url)
            return path
        } completion: {
            completion($0)
        }
    }

    /// The time after which a frame that is to be saved counts as missing, as that of a video that cannot be decoded.
    private static let frameLimit = DispatchTimeInterval.seconds(5)

    /// Writes the frame that is shown. If none is shown within `frameLimit`, `completion` receives an error.
    func saveFrame(
        of item: PlayerItem,
        as format: ImageFileFormat?,
        hasSubtitles: Bool = true,
        _ write: @escaping @Sendable (VideoFrame) throws -> String,
        completion: @escaping SnapshotSink.Completion
    ) {
        let formats = format?.pixelFormats ?? []
        let sink = SnapshotSink(formats, rendersSubtitles: hasSubtitles, write) { [weak self] result in
            self?.state.withLock { $0.snapshot = nil }
            completion(result)
        }
        // A layer without a size would request the largest variant.
        let layer = PlayerLayer(size: item.presentationSize)
        layer.deinterlacing = options.deinterlacing
        layer.dynamicRangePolicy = options.dynamicRange
        layer.add(sink)
        state.withLock { $0.snapshot = layer }
        layer.player = player
        player.callbackQueue.asyncAfter(deadline: .now() + Self.frameLimit) { [weak sink] in sink?.finish() }
    }
}

/// Unused file names: "clip-0001.png", "clip-0002.png", ...
struct SnapshotNames: Sendable {
    private let path: NumberedPath

    /// Creates the names for an input. The result is never nil, because percent signs are escaped.
    init?(for input: Input) {
        let name = input.argument == "-" ? "stdin" : input.shortName
        let stem = name.lastIndex(of: ".").map { $0 == name.startIndex ? name : String(name[..<$0]) } ?? name
        // A file name has at most 255 bytes.
        var short = stem.replacing("/", with: "_")
        while short.utf8.count > 240 { short.removeLast() }
        guard let path = NumberedPath(short.replacing("%", with: "%%") + "-%04d.png") else { return nil }
        self.path = path
    }

    /// Writes bytes to a new file. An incomplete file is removed.
    ///
    /// - Returns: The name of the file.
    /// - Throws: The error of the system.
    func write(_ bytes: [UInt8]) throws(PlaybackError) -> String {
        var number = 1
        while true {
            let name = path.path(number)
            let descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            if descriptor < 0, errno == EEXIST {
                number += 1
                continue
            }
            guard descriptor >= 0 else { throw PlaybackError(creating: name) }
            let output = ByteOutput(owning: descriptor, name: name)
            do throws(PlaybackError) {
                try output.write(bytes)
                try output.close()
            } catch {
                unlink(name)
                throw error
            }
            return name
        }
    }
}

/// A sink that saves the first frame.
final class SnapshotSink: VideoSink {
    typealias Completion = @Sendable (Result<String, any Error>) -> Void

    let acceptedPixelFormats: [PixelFormat]
    let rendersSubtitles: Bool
    private let write: @Sendable (VideoFrame) throws -> String
    private let completion: Completion
    private let isDone = Once()

    init(
        _ acceptedPixelFormats: [PixelFormat],
        rendersSubtitles: Bool,
        _ write: @escaping @Sendable (VideoFrame) throws -> String,
        completion: @escaping Completion
    ) {
        self.acceptedPixelFormats = acceptedPixelFormats
        self.rendersSubtitles = rendersSubtitles
        self.write = write
        self.completion = completion
    }

    var appliesPreferredTrackTransform: Bool { true }

    func start(_ format: VideoFormat) {}

    func present(_ frame: VideoFrame) {
        guard isDone.claim() else { return }
        completion(Result { try write(frame) })
    }

    /// Reports that no frame was shown, unless the first frame is being saved.
    func finish() {
        guard isDone.claim() else { return }
        completion(.failure(PlaybackError(code: .cancelled, message: "no frame was shown")))
    }
}
