import Dispatch
import FFmpeg
public import FoundationEssentials
public import MediaCore
import PlayheadCore
import Sinks

/// Records the frames of a camera or a test pattern into a file, without audio.
///
///     let recorder = Recorder(CaptureSource(.camera("/dev/video0")), to: URL(fileURLWithPath: "clip.mp4"))
///     let recording = try await recorder.record()  // until stop() is called elsewhere, or a limit is reached
///
/// The extension of the file name selects the format: H.264 in mp4, mov, m4v and mkv, VP9 in webm. A temporary file in
/// the same folder is renamed when it is complete. A named pipe can be written as mkv or webm. libavdevice is loaded with
/// the first recording.
///
/// All members may be used from any thread. `record()` uses a thread of its own, and no call waits for the device.
public final class Recorder: Sendable {
    /// The result of a recording.
    public struct Recording: Hashable, Sendable {
        /// The number of frames in the file.
        public var frameCount: Int
        /// The time from the first frame to the last one.
        public var duration: MediaTime
    }

    private struct State {
        var hasBegun = false
        var isStopped = false
        var progress = Recording(frameCount: 0, duration: .zero)
    }

    /// The source of the frames.
    public let source: CaptureSource
    /// The URL of the file.
    public let url: URL
    /// The duration after which recording stops, or nil.
    public let duration: MediaTime?
    /// The number of frames after which recording stops, or nil.
    public let frameLimit: Int?
    /// A Boolean value that indicates whether the test pattern is recorded as fast as it can be encoded, instead of in
    /// real time.
    public let isUntimed: Bool

    /// The file name extensions of the supported containers.
    public static let containers = FFmpegRecording.containers

    private let state = Locked(State())
    private let stopping = DispatchSemaphore(value: 0)

    /// The time in seconds after which a camera that sends no frame counts as broken. Some cameras wait for light
    /// behind a closed lens cover.
    private static let inactivityTimeout = 10.0

    /// Creates a recorder without doing any I/O.
    ///
    /// - Parameters:
    ///   - source: The source of the frames.
    ///   - url: The URL of the file.
    ///   - duration: The duration after which recording stops, or nil.
    ///   - frameLimit: The number of frames after which recording stops, or nil.
    ///   - isUntimed: Whether the test pattern is recorded as fast as it can be encoded.
    public init(
        _ source: CaptureSource,
        to url: URL,
        duration: MediaTime? = nil,
        frameLimit: Int? = nil,
        isUntimed: Bool = false
    ) {
        self.source = source
        self.url = url
        self.duration = duration
        self.frameLimit = frameLimit
        self.isUntimed = isUntimed
    }

    /// The progress so far.
    public var progress: Recording { state.withLock { $0.progress } }

    /// Records until `stop()` is called, a limit is reached, the task is cancelled or an error occurs. A recorder can
    /// record only once.
    ///
    /// After an error the file is completed if at least one frame was recorded. If the file itself cannot be written any
    /// more, an mkv or webm file keeps what was written until then, and a file of another container is removed.
    ///
    /// - Returns: The number and duration of the recorded frames.
    /// - Throws: `PlaybackError` with the code `.notFound` if the camera does not exist, `.io` if it is not available
    ///   or disconnects, `.timedOut` if it sends no frame for ten seconds, `.invalidArgument` if `url` is not that of a
    ///   file in a supported container, `.sinkFailed` if the file cannot be written, and `.emptyMedia` if
    ///   recording ended before the first frame: it was stopped, or a limit is not positive. Nothing is written then.
    public func record() async throws(PlaybackError) -> Recording {
        let isFirst = state.withLock { state in
            defer { state.hasBegun = true }
            return !state.hasBegun
        }
        guard isFirst else { throw failure(MediaError(.invalidArgument, "a recorder can record only once")) }
        let result: Result<Recording, MediaError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let refusal = DetachedThread.start("playhead.record") { [self] in
                    continuation.resume(returning: Result { () throws(MediaError) in try run() })
                }
                if refusal != 0 {
                    let error = MediaError(
                        .resourceLimit,
                        "no thread is available for recording",
                        underlyingCode: refusal
                    )
                    continuation.resume(returning: .failure(error))
                }
            }
        } onCancel: {
            stop()
        }
        switch result {
        case .success(let recording): return recording
        case .failure(let error): throw failure(error)
        }
    }

    /// Stops recording. The file is completed, and `record()` returns.
    public func stop() {
        state.withLock { $0.isStopped = true }
        stopping.signal()
    }

    private func failure(_ error: MediaError) -> PlaybackError { PlaybackError(error, url: url) }

    private func run() throws(MediaError) -> Recording {
        guard url.isFileURL else { throw MediaError(.invalidArgument, "expected the URL of a file") }
        let output = try FileOutput(url.path)
        let fileExtension = url.pathExtension.lowercased()
        // Without its end Matroska can be played, the other containers cannot.
        let isMatroska = ["mkv", "webm"].contains(fileExtension)
        guard isMatroska || output.isRewritable else {
            throw MediaError(
                .sinkFailed,
                "\(output.path): a pipe can be written as mkv or webm only, not as \(fileExtension)"
            )
        }
        let recording = try FFmpegRecording(source, fileExtension: fileExtension, output: output)
        var fault: MediaError?
        do { try recordFrames(recording) } catch { fault = error }
        // What was recorded before an error is kept.
        if fault == nil || recording.frameCount > 0 {
            var isKept = true
            do throws(MediaError) {
                try recording.finish()
                try output.flush()
            } catch {
                fault = fault ?? error
                isKept = recording.frameCount > 0 && isMatroska
            }
            if isKept {
                do throws(MediaError) { try output.close() } catch { fault = fault ?? error }
            }
        }
        output.discard()
        if let fault { throw fault }
        return progress
    }

    private func recordFrames(_ recording: FFmpegRecording) throws(MediaError) {
        var start: DispatchTime?
        var lastFrameTime = DispatchTime.now()
        let frameLimit = frameLimit ?? .max
        while !state.withLock({ $0.isStopped }), !recording.isAtEnd, recording.frameCount < frameLimit {
            guard let time = try recording.nextTime() else {
                guard DispatchTime.now() < lastFrameTime + Self.inactivityTimeout else {
                    throw MediaError(.timedOut, "the camera has sent no frame for 10 seconds")
                }
                wait(until: .now() + .milliseconds(5))
                continue
            }
            lastFrameTime = .now()
            if let duration, time >= duration { return }
            if source.device == .testPattern, !isUntimed {
                let begin = start ?? .now()
                start = begin
                wait(until: begin + time.seconds)
                if state.withLock({ $0.isStopped }) { return }
            }
            let count = recording.frameCount
            try recording.write()
            // A frame that is not later than the previous one has been dropped.
            guard recording.frameCount > count else { continue }
            state.withLock { $0.progress = Recording(frameCount: recording.frameCount, duration: time) }
        }
    }

    /// Waits until a time or until recording is stopped.
    private func wait(until time: DispatchTime) { _ = stopping.wait(timeout: time) }
}

/// A file that is renamed when it is complete.
private final class FileOutput: RecordingOutput {
    private let output: ByteOutput

    init(_ path: String) throws(MediaError) {
        output = try Self.translated { () throws(PlaybackError) in try ByteOutput(replacing: path) }
    }

    var path: String { output.path }
    var isRewritable: Bool { output.isRewritable }

    func write(_ bytes: UnsafeRawBufferPointer) throws(MediaError) {
        try Self.translated { () throws(PlaybackError) in try output.write(bytes) }
    }

    func rewrite(at offset: Int64, _ bytes: UnsafeRawBufferPointer) throws(MediaError) {
        try Self.translated { () throws(PlaybackError) in try output.rewrite(at: offset, Array(bytes)) }
    }

    func flush() throws(MediaError) {
        try Self.translated { () throws(PlaybackError) in try output.flush() }
    }

    /// Removes what was written. Has no effect after `close()`.
    func discard() { output.discard() }

    func close() throws(MediaError) {
        try Self.translated { () throws(PlaybackError) in try output.close() }
    }

    private static func translated<Value>(
        _ body: () throws(PlaybackError) -> Value
    ) throws(MediaError) -> Value {
        do throws(PlaybackError) {
            return try body()
        } catch {
            throw MediaError(.sinkFailed, error.message, underlyingCode: error.systemCode)
        }
    }
}
