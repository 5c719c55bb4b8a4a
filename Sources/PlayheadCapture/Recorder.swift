import Dispatch
import FFmpeg
public import Foundation
public import MediaCore
public import Playhead
import Sinks

/// Records pictures of a camera, or of a test pattern, into a file that plays. There is no sound.
///
///     let recorder = Recorder(CaptureSource(.camera("/dev/video0")), to: URL(fileURLWithPath: "clip.mp4"))
///     let recording = try await recorder.record()      // until stop() is called elsewhere
///
/// H.264 in mp4, mov, m4v and mkv, VP9 in webm: the file's name says which. The file is written beside, and takes its name
/// when it is whole. libavdevice is opened with the first recording. Any thread; `record` has one of its own, and no call
/// waits for the device.
public final class Recorder: Sendable {
    /// What became of it.
    public struct Recording: Hashable, Sendable {
        /// Pictures in the file.
        public var frameCount: Int
        /// From the first picture to the last.
        public var duration: MediaTime
    }

    private struct State {
        var hasBegun = false
        var isStopped = false
        var progress = Recording(frameCount: 0, duration: .zero)
    }

    /// Where pictures come from.
    public let source: CaptureSource
    /// The file.
    public let url: URL
    /// It stops when so much has been recorded; nil: `stop()` does that.
    public let duration: MediaTime?
    /// It stops with so many pictures; nil: `stop()` does that.
    public let frameLimit: Int?
    /// The test pattern comes as fast as it can be encoded, instead of in its own time.
    public let isUntimed: Bool

    /// The endings of file names that stand for a container.
    public static let containers = FFmpegRecording.containers

    private let state = Locked(State())
    private let stopping = DispatchSemaphore(value: 0)

    /// A camera that has sent nothing for so long is broken, or its lens cap makes it wait for light for ever.
    private static let inactivityTimeout = 10.0

    /// Does no I/O.
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

    /// As far as it has come.
    public var progress: Recording { state.withLock { $0.progress } }

    /// Records until `stop()`, the limits, the end of the task or a fault; once. The file is whole in each case, if a picture
    /// has come at all. Throws where there is no such camera (`.notFound`), where it is not to be had or ends (`.io`) or sends
    /// nothing for ten seconds (`.timedOut`), and where the file cannot be written (`.sinkFailed`).
    public func record() async throws(PlaybackError) -> Recording {
        let isFirst = state.withLock { state in
            defer { state.hasBegun = true }
            return !state.hasBegun
        }
        guard isFirst else { throw failure(MediaError(.invalidArgument, "a recorder records once")) }
        let result: Result<Recording, MediaError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let refusal = DetachedThread.start("playhead.record") { [self] in
                    continuation.resume(returning: Result { () throws(MediaError) in try run() })
                }
                if refusal != 0 {
                    let error = MediaError(
                        .resourceLimit,
                        "there is no thread to record on",
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

    /// The file is made whole, and `record` returns.
    public func stop() {
        state.withLock { $0.isStopped = true }
        stopping.signal()
    }

    private func failure(_ error: MediaError) -> PlaybackError { PlaybackError(error, url: url) }

    private func run() throws(MediaError) -> Recording {
        let output = try FileOutput(url.path)
        let recording = try FFmpegRecording(source, fileExtension: url.pathExtension.lowercased(), output: output)
        var fault: MediaError?
        do { try recordFrames(recording) } catch { fault = error }
        // What was recorded before a fault is worth having.
        if fault == nil || recording.frameCount > 0 {
            do throws(MediaError) {
                try recording.finish()
                try output.close()
            } catch {
                fault = fault ?? error
            }
        }
        if let fault { throw fault }
        return progress
    }

    private func recordFrames(_ recording: FFmpegRecording) throws(MediaError) {
        var start: DispatchTime?
        var lastFrameTime = DispatchTime.now()
        while !state.withLock({ $0.isStopped }), !recording.isAtEnd {
            guard let time = try recording.nextTime() else {
                guard DispatchTime.now() < lastFrameTime + Self.inactivityTimeout else {
                    throw MediaError(.timedOut, "the camera has sent nothing for 10 seconds")
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
            try recording.write()
            state.withLock { $0.progress = Recording(frameCount: recording.frameCount, duration: time) }
            if let frameLimit, recording.frameCount >= frameLimit { return }
        }
    }

    /// Or until it is stopped.
    private func wait(until time: DispatchTime) { _ = stopping.wait(timeout: time) }
}

/// A file that takes its name when it is whole.
private final class FileOutput: RecordingOutput {
    private let output: ByteOutput

    init(_ path: String) throws(MediaError) {
        output = try Self.translated { () throws(SinkError) in try ByteOutput(replacing: path) }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(MediaError) {
        try Self.translated { () throws(SinkError) in try output.write(bytes) }
    }

    func rewrite(at offset: Int64, _ bytes: UnsafeRawBufferPointer) throws(MediaError) {
        try Self.translated { () throws(SinkError) in try output.rewrite(at: offset, Array(bytes)) }
    }

    func close() throws(MediaError) {
        try Self.translated { () throws(SinkError) in try output.close() }
    }

    private static func translated<Value>(_ body: () throws(SinkError) -> Value) throws(MediaError) -> Value {
        do throws(SinkError) {
            return try body()
        } catch {
            throw MediaError(error)
        }
    }
}
