public import MediaCore

/// Writes each frame to an image file of its own: PNG, JPEG or WebP, upright and with square pixels.
///
/// Files are numbered from 1 where the path is a pattern ("frames/%06d.png"). Where it is not, each frame replaces the
/// one before: the file holds the newest. Each file is written beside and takes its name when it is whole.
public final class ImageSequenceSink: VideoSink, FileSink {
    private struct State: Sendable {
        var count = 0
        var isFinished = false
    }

    /// Where the images go.
    public let path: NumberedPath
    private let encoder: ImageEncoder
    private let state = Locked(State())
    private let failure = Locked<(any Error)?>(nil)

    /// `quality`: see `ImageEncoder`. Nothing is made yet; throws for a path whose end names no format, and what stands
    /// against writing there.
    public init(path: NumberedPath, quality: Int? = nil) throws(SinkError) {
        guard let format = path.imageFormat else {
            throw .unsupportedFormat("\(path): expected a name that ends in .png, .jpg, .jpeg or .webp")
        }
        self.path = path
        encoder = ImageEncoder(format, quality: quality)
        _ = try ByteOutput(replacing: path.path(1))
    }

    public var error: (any Error)? { failure.withLock { $0 } }
    public var appliesPreferredTrackTransform: Bool { true }
    /// Many files are to be all of them; one file is to hold the newest.
    public var lateFramePolicy: LateFramePolicy { path.isPattern ? .holdBack : .newestOnly }

    public func start(_ format: VideoFormat) throws {}

    public func present(_ frame: VideoFrame) throws {
        let number = try state.withLock { state in
            guard !state.isFinished else { throw SinkError.outOfOrder("\(path) is finished") }
            state.count += 1
            return state.count
        }
        do {
            let output = try ByteOutput(replacing: path.path(number))
            try output.write(try encoder.encode(frame))
            try output.close()
        } catch {
            failure.withLock { if $0 == nil { $0 = error } }
            throw error
        }
    }

    public func finish() { state.withLock { $0.isFinished = true } }
}
