public import MediaCore

/// A video sink that records every call and every frame.
public final class CapturingVideoSink: VideoSink {
    /// A call that a layer made.
    public enum Call: Hashable, Sendable, CustomStringConvertible {
        /// Frames of this size and format follow.
        case start(PixelSize, PixelFormat)
        /// A frame was presented. `number` is the number in a scripted frame, and `host` is the clock at the call, in
        /// nanoseconds.
        case present(number: Int, time: MediaTime, pass: Int, host: Int64)
        /// The sink was flushed, because of a seek or a new item.
        case flush
        /// The sink was finished, because it was removed or its layer was released.
        case finish

        /// The call as one line of text.
        public var description: String {
            switch self {
            case .start(let size, let format): "start \(size) \(format)"
            case .present(let number, let time, let pass, let host):
                "present \(number) at \(time) pass \(pass) host \(host)"
            case .flush: "flush"
            case .finish: "finish"
            }
        }
    }

    /// A frame that was presented.
    public struct Frame: Hashable, Sendable {
        /// The number in a scripted frame. It is meaningless for other media.
        public var number: Int
        /// The presentation time, in item time.
        public var time: MediaTime
        /// The number of times that the item had been played completely before.
        public var pass: Int
        /// The clock at the call.
        public var hostTime: HostTime
        /// The coded size, in pixels.
        public var size: PixelSize
    }

    private struct State {
        var calls: [Call] = []
        var frames: [Frame] = []
        var failureCountdown: Int?
    }

    private let clock: any HostClock
    private let state = Locked(State())

    /// Creates a sink without calls.
    ///
    /// - Parameter clock: The clock of the driver, from which the host times of calls and frames are read.
    public init(clock: any HostClock) { self.clock = clock }

    /// All calls so far, in order. Any thread may read it.
    public var calls: [Call] { state.withLock { $0.calls } }
    /// All frames so far, in order. Any thread may read it.
    public var frames: [Frame] { state.withLock { $0.frames } }
    /// The numbers in all frames so far, in the order of presentation.
    public var numbers: [Int] { frames.map(\.number) }

    /// Makes the sink throw an error when it presents a frame.
    ///
    /// - Parameter count: The frame to fail at, counted from the next one, which is 1.
    public func fail(atFrame count: Int) { state.withLock { $0.failureCountdown = count } }

    /// Records the format.
    ///
    /// - Throws: This implementation does not throw.
    public func start(_ format: VideoFormat) throws {
        state.withLock { $0.calls.append(.start(format.size, format.pixelFormat)) }
    }

    /// Records a frame.
    ///
    /// - Parameter frame: The frame to record.
    /// - Throws: A `MediaError` with the code `sinkFailed` for the frame that was chosen with `fail(atFrame:)`.
    public func present(_ frame: VideoFrame) throws {
        let captured = Frame(
            number: frame.scriptedNumber ?? -1,
            time: frame.presentationTime,
            pass: frame.pass,
            hostTime: clock.now,
            size: frame.format.size
        )
        let call = Call.present(
            number: captured.number,
            time: captured.time,
            pass: captured.pass,
            host: captured.hostTime.nanoseconds
        )
        let mustFail = state.withLock { state in
            state.calls.append(call)
            state.frames.append(captured)
            state.failureCountdown = state.failureCountdown.map { $0 - 1 }
            return state.failureCountdown == 0
        }
        if mustFail { throw MediaError(.sinkFailed, "failure requested by the test") }
    }

    public func flush() { state.withLock { $0.calls.append(.flush) } }
    public func finish() { state.withLock { $0.calls.append(.finish) } }
}

/// An audio sink that records all samples.
public final class CapturingAudioSink: AudioSink {
    private struct State {
        var samples: [Int16] = []
        var frameCount = 0
        var flushes = 0
        var finishes = 0
        var isPaused = true
    }
    private let state = Locked(State())

    /// Creates a sink without samples. It accepts 16-bit integers in the sample rate and channel layout of the media.
    public init() {}

    /// All samples so far, in order. A scripted sample is the low 16 bits of its own index.
    public var samples: [Int16] { state.withLock { $0.samples } }
    /// The number of samples per channel so far.
    public var frameCount: Int { state.withLock { $0.frameCount } }
    /// The number of times that the sink was flushed.
    public var flushes: Int { state.withLock { $0.flushes } }
    /// The number of times that the sink was finished. More than one is an error of the player.
    public var finishes: Int { state.withLock { $0.finishes } }
    /// A Boolean value that indicates whether the timeline is paused, as last reported. It is true before the first
    /// report.
    public var isPaused: Bool { state.withLock { $0.isPaused } }

    /// Records the format.
    ///
    /// - Throws: This implementation does not throw.
    public func start(_ format: AudioFormat) throws -> AudioFormat {
        AudioFormat(
            sampleRate: format.sampleRate,
            channelLayout: format.channelLayout,
            sampleFormat: .s16
        )
    }

    /// Records the buffer.
    ///
    /// - Throws: This implementation does not throw.
    public func write(_ buffer: AudioBuffer) throws {
        let samples = buffer.withPlanes { planes in
            planes.first.map { Array($0.bindMemory(to: Int16.self)) } ?? []
        }
        state.withLock { state in
            state.samples += samples
            state.frameCount += buffer.frameCount
        }
    }

    public func setPaused(_ isPaused: Bool) { state.withLock { $0.isPaused = isPaused } }
    public func flush() { state.withLock { $0.flushes += 1 } }
    public func finish() { state.withLock { $0.finishes += 1 } }
}
