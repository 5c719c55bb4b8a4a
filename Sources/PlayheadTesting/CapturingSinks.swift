public import MediaCore

/// Remembers every call that a layer makes.
public final class CapturingVideoSink: VideoSink {
    /// One call that a layer made.
    public enum Call: Hashable, Sendable, CustomStringConvertible {
        /// Frames of this size and format follow.
        case start(PixelSize, PixelFormat)
        /// `number`: what a scripted frame holds. `host`: the clock at the call, in nanoseconds.
        case present(number: Int, time: MediaTime, pass: Int, host: Int64)
        /// A seek or a new item: what came before is history.
        case flush
        /// The sink was taken off, or its layer went.
        case finish

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

    /// A frame as it came.
    public struct Frame: Hashable, Sendable {
        /// What a scripted frame holds; of other media it means nothing.
        public var number: Int
        /// When it was due, in item time.
        public var time: MediaTime
        /// How many times the item had been played through before.
        public var pass: Int
        /// The clock at the call.
        public var hostTime: HostTime
        /// Coded size, in pixels.
        public var size: PixelSize
    }

    private struct State {
        var calls: [Call] = []
        var frames: [Frame] = []
        var failAt: Int?
    }

    private let clock: any HostClock
    private let state = Locked(State())

    /// `clock`: the driver's, which the host times of calls and frames are read from.
    public init(clock: any HostClock) { self.clock = clock }

    /// All calls up to now, in order. Any thread.
    public var calls: [Call] { state.withLock { $0.calls } }
    /// All frames up to now, in order. Any thread.
    public var frames: [Frame] { state.withLock { $0.frames } }
    /// The numbers that the frames hold, in the order in which they came.
    public var numbers: [Int] { frames.map(\.number) }

    /// The `count`th frame from now makes the sink throw.
    public func fail(atPicture count: Int) { state.withLock { $0.failAt = count } }

    public func start(_ format: VideoFormat) throws {
        state.withLock { $0.calls.append(.start(format.size, format.pixelFormat)) }
    }

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
            state.failAt = state.failAt.map { $0 - 1 }
            return state.failAt == 0
        }
        if mustFail { throw MediaError(.sinkFailed, "the test asked for it") }
    }

    public func flush() { state.withLock { $0.calls.append(.flush) } }
    public func finish() { state.withLock { $0.calls.append(.finish) } }
}

/// Remembers the samples, in the order in which they came.
public final class CapturingAudioSink: AudioSink {
    private struct State {
        var samples: [Int16] = []
        var frameCount = 0
        var flushes = 0
        var finishes = 0
        var isPaused = true
    }
    private let state = Locked(State())

    /// It takes 16 bit integers, at the rate and with the channels that come.
    public init() {}

    /// Scripted samples hold the low 16 bits of their own index.
    public var samples: [Int16] { state.withLock { $0.samples } }
    /// Samples of each channel.
    public var frameCount: Int { state.withLock { $0.frameCount } }
    /// How often it was told to forget what it was given.
    public var flushes: Int { state.withLock { $0.flushes } }
    /// How often it was told that nothing follows; once is right.
    public var finishes: Int { state.withLock { $0.finishes } }
    /// Whether the timeline stands, as it was last told; true before the first word.
    public var isPaused: Bool { state.withLock { $0.isPaused } }

    public func start(_ format: AudioFormat) throws -> AudioFormat {
        AudioFormat(
            sampleRate: format.sampleRate,
            channelLayout: format.channelLayout,
            sampleFormat: .s16
        )
    }

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
