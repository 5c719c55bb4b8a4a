public import MediaCore
public import PlayheadBackend

/// A simulated audio device. It plays at the pace of a clock that the test moves, with a drift, a buffer and a delay,
/// and records which samples were audible at which time.
///
/// It consumes samples as a real device does: it keeps `Setup.buffer` seconds buffered, plays silence when samples are
/// missing, and can be disconnected and connected. It accepts 16-bit integers and records the first channel.
public final class SimulatedAudioDevice: AudioDeviceSink {
    /// The properties of a device. Times are in seconds.
    public struct Setup: Sendable {
        /// The seconds of audio that the device buffers.
        public var buffer = 0.05
        /// The seconds from the start of playback until the first sample is audible.
        public var startDelay = 0.02
        /// The seconds of silence that the device has already queued when it is connected.
        public var leadingSilence = 0.0
        /// The amount by which the device is faster than the clock, in parts per million.
        public var drift = 0.0
        /// The seconds by which audio must be delivered before it is due.
        public var lead = 0.2
        /// The seconds of audio that the device accepts at most.
        public var capacity = 2.0
        /// The error, in seconds, of the start delay that the device reports.
        public var startDelayError = 0.0
        /// A Boolean value that indicates whether samples that were written but not yet consumed can be withdrawn.
        public var canRewind = true
        /// A Boolean value that indicates whether the device is connected from the beginning.
        public var isConnected = true
        /// A Boolean value that indicates whether the device is still connecting, until `connect()` or `disconnect()`
        /// is called.
        public var isConnecting = false

        /// Creates a typical device: it buffers 50 ms, becomes audible 20 ms after it is started, and runs exactly at
        /// the pace of the clock.
        public init() {}
    }

    /// A sequence of samples that were audible without interruption.
    public struct Heard: Sendable {
        /// The time at which the first sample was audible.
        public let start: HostTime
        /// The time between two samples, in nanoseconds.
        public let interval: Double
        /// The samples of the first channel, after volume and mute.
        public fileprivate(set) var samples: [Int16]

        /// Returns the time at which a sample was audible.
        ///
        /// - Parameter index: The index of the sample, counted from the first one of the sequence.
        /// - Returns: The time at which the sample was audible.
        public func time(of index: Int) -> HostTime {
            start.advanced(by: Int64((Double(index) * interval).rounded()))
        }
    }

    /// A call that the engine made.
    public enum Call: Hashable, Sendable {
        /// The decoder's format was set.
        case start(AudioFormat)
        /// It was announced that audio would be written soon.
        case prepare
        /// The timeline was paused.
        case pause
        /// The timeline was resumed.
        case resume
        /// All samples that were written were discarded.
        case flush
        /// Samples that were written were withdrawn from some sample on.
        case rewind
        /// Samples per channel were skipped; a negative number means that silence was inserted.
        case skip(Int64)
        /// Whether more samples follow soon.
        case expect(Bool)
        /// The unique identifier of the device that was chosen, or nil for the default device.
        case device(String?)
        /// The stream was finished.
        case finish
    }

    fileprivate struct State {
        var setup: Setup
        var ring: SampleRing?
        var format: AudioFormat?
        var isConnected: Bool
        var hasBeenConnected: Bool
        var isPaused = true
        var isSuspended = false
        var calls: [Call] = []
        /// The samples that were consumed from the ring but are not audible yet.
        var bufferedSamples: [Int16] = []
        var heard: [Heard] = []
        var isSilent = true
        /// The time before which no sample that is written becomes audible.
        var earliestOutput = HostTime.zero
        /// The time up to which audio has been output.
        var playedTo = HostTime.zero
        /// The time of the last change of pace. `paceCount` counts the samples output since then.
        var paceStart = HostTime.zero
        var paceCount: Int64 = 0
        var stalledUntil = HostTime.zero
        var hasUnderrun = false
        var underrunCount = 0
        var flushes = 0
        var name: String?
        var gain: Float = 1
        var onNotice: (@Sendable (AudioDeviceNotice) -> Void)?
    }

    private let clock: any HostClock
    private let state: Locked<State>

    /// Creates a device that is driven by a clock.
    ///
    /// - Parameters:
    ///   - clock: The clock. Playback begins at its current time.
    ///   - setup: The properties of the device.
    public init(clock: any HostClock, _ setup: Setup = Setup()) {
        self.clock = clock
        state = Locked(
            State(setup: setup, isConnected: setup.isConnected, hasBeenConnected: setup.isConnected)
        )
        state.withLock { $0.playAhead(from: clock.now) }
    }

    // MARK: For tests

    /// All calls so far, in order, except `write`, `setVolume` and `setTitle`. Any thread may read it.
    public var calls: [Call] { state.withLock { $0.calls } }
    /// All samples that were audible so far. It includes silence during underruns, but not before the first sample.
    public var heard: [Heard] { withCurrentState { $0.heard } }
    /// Returns the sample that was audible at a time.
    ///
    /// - Parameter time: A time that has passed.
    /// - Returns: The sample, or nil if nothing was audible.
    public func sample(at time: HostTime) -> Int16? {
        withCurrentState { state in
            for run in state.heard.reversed() where run.start <= time {
                let index = Int(Double(time.nanoseconds(since: run.start)) / run.interval)
                return run.samples.indices.contains(index) ? run.samples[index] : nil
            }
            return nil
        }
    }

    /// Disconnects the device, as if it were unplugged or its server stopped.
    public func disconnect() {
        withCurrentState { state in
            state.isConnected = false
            state.setup.isConnecting = false
            state.bufferedSamples = []
            state.isSilent = true
            state.ring?.discard()
        }
    }

    /// Connects the device, which then plays what it is given.
    public func connect() {
        withCurrentState { state in
            state.isConnected = true
            state.setup.isConnecting = false
            state.hasBeenConnected = true
            state.playAhead(from: clock.now)
            state.beginPlaying(at: clock.now, after: state.setup.startDelay)
        }
    }

    /// Suspends or resumes the device. A suspended device is connected but plays nothing.
    ///
    /// - Parameter isSuspended: Whether the device is suspended.
    public func setSuspended(_ isSuspended: Bool) {
        withCurrentState { state in
            state.isSuspended = isSuspended
            state.beginPlaying(at: clock.now, after: 0)
        }
    }

    /// Reports the beginning of an interruption by the system. The device keeps playing until it is paused.
    public func beginInterruption() { state.withLock { $0.onNotice }?(.interruptionBegan) }

    /// Reports the end of an interruption by the system.
    public func endInterruption() { state.withLock { $0.onNotice }?(.interruptionEnded) }

    /// Stops the device from consuming samples for some time. It plays what it has buffered, then silence, and resumes
    /// late.
    ///
    /// - Parameter seconds: The time in seconds.
    public func starve(seconds: Double) {
        withCurrentState { $0.stalledUntil = clock.now.advanced(by: Int64(clamping: seconds * 1e9)) }
    }

    /// Changes the buffer size, as if another device had been selected.
    ///
    /// - Parameter seconds: The seconds of audio that the device buffers.
    public func setBuffer(seconds: Double) { withCurrentState { $0.setup.buffer = seconds } }

    // MARK: AudioDeviceSink

    public func prepare() { state.withLock { $0.calls.append(.prepare) } }

    /// Starts the device with the format that it is set up for.
    ///
    /// - Throws: This implementation does not throw.
    public func start(_ format: AudioFormat) throws -> AudioFormat {
        withCurrentState { state in
            state.calls.append(.start(format))
            if let format = state.format { return format }
            let taken = AudioFormat(
                sampleRate: format.sampleRate,
                channelLayout: format.channelLayout,
                sampleFormat: .s16
            )
            state.format = taken
            let rate = Double(taken.sampleRate)
            state.ring = SampleRing(
                channelCount: taken.channelCount,
                capacity: Int(rate * state.setup.capacity),
                prefill: Int(rate * state.setup.buffer),
                flushes: state.flushes
            )
            state.ring?.setGain(state.gain)
            state.beginPlaying(at: clock.now, after: state.setup.startDelay)
            return taken
        }
    }

    /// Accepts a buffer to be played on the device's clock.
    ///
    /// - Throws: This implementation does not throw.
    public func write(_ buffer: AudioBuffer) throws {
        withCurrentState { state in
            buffer.withPlanes { planes in
                guard let samples = planes.first?.bindMemory(to: Int16.self) else { return }
                let floats = samples.map(Float.init)
                floats.withUnsafeBufferPointer { _ = state.ring?.write($0) }
            }
        }
    }

    public func setPaused(_ isPaused: Bool) {
        withCurrentState { state in
            state.calls.append(isPaused ? .pause : .resume)
            guard state.isPaused != isPaused else { return }
            state.isPaused = isPaused
            if !isPaused { state.beginPlaying(at: clock.now, after: state.setup.startDelay) }
        }
    }

    public func flush() {
        withCurrentState { state in
            state.calls.append(.flush)
            state.flushes += 1
            state.bufferedSamples = []
            state.isSilent = true
            state.ring?.flush()
            // A stream that is flushed starts again, with its start delay.
            state.beginPlaying(at: clock.now, after: state.setup.startDelay)
        }
    }

    public func skip(_ frames: Int64) {
        withCurrentState { state in
            state.calls.append(.skip(frames))
            state.ring?.skip(frames)
        }
    }

    public func rewind(to frame: Int64) -> Int64? {
        withCurrentState { state in
            state.calls.append(.rewind)
            let fade = (state.format?.sampleRate ?? 0) / 100
            return state.setup.canRewind ? state.ring?.rewind(to: frame, fade: fade) : nil
        }
    }

    public func setExpectsMore(_ expectsMore: Bool) {
        withCurrentState { state in
            state.calls.append(.expect(expectsMore))
            state.ring?.setExpectsMore(expectsMore)
        }
    }

    public func setDevice(_ uniqueID: String?) {
        withCurrentState { state in
            state.calls.append(.device(uniqueID))
            state.name = uniqueID
        }
    }

    public func setNoticeHandler(_ handler: @escaping @Sendable (AudioDeviceNotice) -> Void) {
        state.withLock { $0.onNotice = handler }
    }

    public func setVolume(_ volume: Float) {
        withCurrentState { state in
            state.gain = volume
            state.ring?.setGain(volume)
        }
    }

    public func finish() { withCurrentState { $0.calls.append(.finish) } }

    public var deviceName: String? { withCurrentState { $0.isConnected ? $0.name ?? "simulated" : nil } }

    public var isConnecting: Bool { state.withLock { $0.setup.isConnecting } }

    public var startDelay: Duration {
        withCurrentState { state in
            guard state.isConnected, !state.isSuspended else { return .zero }
            let pendingTime = state.earliestOutput.nanoseconds(since: clock.now)
            let delay =
                max(pendingTime, Int64(state.setup.startDelay * 1e9))
                + Int64(state.setup.startDelayError * 1e9)
            return .nanoseconds(delay)
        }
    }

    public var lead: Duration { state.withLock { .nanoseconds(Int64($0.setup.lead * 1e9)) } }
    public var underruns: Int { withCurrentState { ($0.ring?.underruns ?? 0) + $0.underrunCount } }

    public var writableFrameCount: Int {
        withCurrentState { state in
            if !state.isConnected, state.hasBeenConnected { return 0 }
            return state.ring?.writableCount ?? 0
        }
    }

    public var position: AudioDevicePosition? {
        withCurrentState { state in
            guard state.isPlaying, let next = state.ring?.next, clock.now >= state.stalledUntil else {
                return nil
            }
            let wait = max(0, state.playedTo.nanoseconds(since: clock.now))
            let bufferedTime = Int64((Double(state.bufferedSamples.count) * state.interval).rounded())
            return AudioDevicePosition(
                frame: next.frame,
                heardAt: clock.now.advanced(by: wait + bufferedTime),
                measuredAt: clock.now,
                flushes: next.flushes
            )
        }
    }

    /// Plays up to the current time, calls `body`, then refills the buffer.
    private func withCurrentState<Result>(_ body: (inout State) -> Result) -> Result {
        let time = clock.now
        return state.withLock { state in
            state.play(until: time)
            let result = body(&state)
            state.fill(at: time)
            return result
        }
    }
}

extension SimulatedAudioDevice.State {
    var isPlaying: Bool { isConnected && !isPaused && !isSuspended && ring != nil }
    var rate: Double { Double(format?.sampleRate ?? 48_000) * (1 + setup.drift / 1e6) }
    var interval: Double { 1e9 / rate }

    mutating func playAhead(from time: HostTime) {
        earliestOutput = time.advanced(by: Int64(setup.leadingSilence * 1e9))
    }

    mutating func beginPlaying(at time: HostTime, after delay: Double) {
        playedTo = max(earliestOutput, time.advanced(by: Int64(delay * 1e9)))
        paceStart = playedTo
        paceCount = 0
        isSilent = true
    }

    /// Outputs the audio of the time that has passed.
    mutating func play(until time: HostTime) {
        guard isPlaying else { return }
        while playedTo < time {
            fill(at: playedTo)
            // Small steps prevent the buffer from running out merely because much time has passed at once.
            let chunk = min(time, playedTo.advanced(by: 2_000_000))
            let due = Int64(Double(chunk.nanoseconds(since: paceStart)) / interval)
            let count = Int(due - paceCount)
            if count > 0 { output(count) }
            paceCount = due
            playedTo = chunk
        }
    }

    private mutating func output(_ count: Int) {
        let real = min(count, bufferedSamples.count)
        if real == 0, isSilent { return }
        if isSilent || heard.isEmpty {
            let start = paceStart.advanced(by: Int64((Double(paceCount) * interval).rounded()))
            heard.append(SimulatedAudioDevice.Heard(start: start, interval: interval, samples: []))
            isSilent = false
        }
        heard[heard.count - 1].samples += bufferedSamples.prefix(real)
        bufferedSamples.removeFirst(real)
        guard real < count else { return }
        heard[heard.count - 1].samples += [Int16](repeating: 0, count: count - real)
        if !hasUnderrun { underrunCount += 1 }
        hasUnderrun = true
    }

    /// Refills the buffer from the ring.
    mutating func fill(at time: HostTime) {
        guard isPlaying, let ring, time >= stalledUntil, ring.isReady else { return }
        let missing = Int(setup.buffer * rate) - bufferedSamples.count
        guard missing > 0 else { return }
        let channels = ring.channelCount
        let taken = [Float](unsafeUninitializedCapacity: missing * channels) { target, count in
            if let base = target.baseAddress { ring.read(into: base, count: missing) }
            count = missing * channels
        }
        for index in stride(from: 0, to: taken.count, by: channels) {
            bufferedSamples.append(Int16(max(-32_768, min(32_767, taken[index]))))
        }
        hasUnderrun = false
    }
}
