public import MediaCore
public import PlayheadBackend

/// An audio device that exists only as numbers: it plays at the pace of a clock that the test moves, with a drift,
/// a buffer and a delay, and remembers what was heard when.
///
/// It takes samples as a real one does: it keeps `buffer` seconds in hand, plays silence where samples are
/// missing, and can be taken away and given back. Its audio is 16 bit integers as they come; of several channels
/// the first is remembered.
public final class SimulatedAudioDevice: AudioDeviceSink {
    /// What kind of device it is. Lengths of time are in seconds.
    public struct Setup: Sendable {
        /// Seconds of audio that it keeps in hand.
        public var buffer = 0.05
        /// Seconds from being started until the first sample is heard.
        public var startDelay = 0.02
        /// Seconds from being there for which it has played silence ahead of itself.
        public var leadingSilence = 0.0
        /// By how much it plays faster than the clock, in millionths.
        public var drift = 0.0
        /// Seconds that audio is wanted before it is due.
        public var lead = 0.2
        /// Seconds of audio that it can be given at most.
        public var capacity = 2.0
        /// It answers `startDelay` wrongly by so many seconds.
        public var startDelayError = 0.0
        /// What it was given and has not taken can be taken back.
        public var canRewind = true
        /// It is there from the beginning.
        public var isConnected = true
        /// Not there, and not known to be away either, until `connect` or `disconnect`.
        public var isConnecting = false

        /// A device like many: 50 ms in hand, heard 20 ms after it is started, exactly at the clock's pace.
        public init() {}
    }

    /// A run of samples that were heard one after the other.
    public struct Heard: Sendable {
        /// When the first of them was heard, on the clock of the device.
        public let start: HostTime
        /// Nanoseconds between two samples.
        public let interval: Double
        /// The first channel, as it was heard: after volume and mute.
        public fileprivate(set) var samples: [Int16]

        /// When the sample was heard; `index` counts from the first one of the run.
        public func time(of index: Int) -> HostTime {
            start.advanced(by: Int64((Double(index) * interval).rounded()))
        }
    }

    /// One call that the engine made.
    public enum Call: Hashable, Sendable {
        /// The decoder's format, as it was told.
        case start(AudioFormat)
        /// Audio is to be expected.
        case prepare
        /// The timeline stands.
        case pause
        /// The timeline runs again.
        case resume
        /// What was written must not be heard any more.
        case flush
        /// What was written was taken back, from some sample on.
        case rewind
        /// Samples per channel to leave out; below zero: silence to put in.
        case skip(Int64)
        /// Whether more follows for the present.
        case expect(Bool)
        /// The unique name that was chosen; nil: the default.
        case device(String?)
        /// Nothing follows.
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
        /// Taken from the ring and not heard yet.
        var bufferedSamples: [Int16] = []
        var heard: [Heard] = []
        var isSilent = true
        /// Before this there is nothing to be heard of what is written.
        var earliestOutput = HostTime.zero
        /// Up to when all was played.
        var playedTo = HostTime.zero
        /// Samples played since the pace was last set, from where.
        var paceStart = HostTime.zero
        var paceCount: Int64 = 0
        var stalledUntil = HostTime.zero
        var hasUnderrun = false
        var underrunCount = 0
        var name: String?
        var gain: Float = 1
        var onNotice: (@Sendable (AudioDeviceNotice) -> Void)?
    }

    private let clock: any HostClock
    private let state: Locked<State>

    /// Plays by `clock`, from its present reading on.
    public init(clock: any HostClock, _ setup: Setup = Setup()) {
        self.clock = clock
        state = Locked(
            State(setup: setup, isConnected: setup.isConnected, hasBeenConnected: setup.isConnected)
        )
        state.withLock { $0.playAhead(from: clock.now) }
    }

    // MARK: For tests

    /// All calls up to now, in order, but not `write`, `setVolume` and `setTitle`. Any thread.
    public var calls: [Call] { state.withLock { $0.calls } }
    /// What was heard up to now. Silence that was not written is in it, but not before the first sample.
    public var heard: [Heard] { withCurrentState { $0.heard } }
    /// What is heard at a time that has passed; nil: nothing.
    public func sample(at time: HostTime) -> Int16? {
        withCurrentState { state in
            for run in state.heard.reversed() where run.start <= time {
                let index = Int(Double(time.nanoseconds(since: run.start)) / run.interval)
                return run.samples.indices.contains(index) ? run.samples[index] : nil
            }
            return nil
        }
    }

    /// The device is pulled out, or its server dies.
    public func disconnect() {
        withCurrentState { state in
            state.isConnected = false
            state.setup.isConnecting = false
            state.bufferedSamples = []
            state.isSilent = true
            state.ring?.discard()
        }
    }

    /// The device is there, or there again: it plays what it is given.
    public func connect() {
        withCurrentState { state in
            state.isConnected = true
            state.setup.isConnecting = false
            state.hasBeenConnected = true
            state.playAhead(from: clock.now)
            state.beginPlaying(at: clock.now, after: state.setup.startDelay)
        }
    }

    /// It is there and plays nothing.
    public func setSuspended(_ isSuspended: Bool) {
        withCurrentState { state in
            state.isSuspended = isSuspended
            state.beginPlaying(at: clock.now, after: 0)
        }
    }

    /// The system asks for quiet. It goes on playing until it is paused.
    public func beginInterruption() { state.withLock { $0.onNotice }?(.interruptionBegan) }

    /// The system gives the audio back.
    public func endInterruption() { state.withLock { $0.onNotice }?(.interruptionEnded) }

    /// For so long it takes nothing, plays what it has and then silence, and goes on late.
    public func starve(seconds: Double) {
        withCurrentState { $0.stalledUntil = clock.now.advanced(by: Int64(seconds * 1e9)) }
    }

    /// Another device: so many seconds more from a sample's being taken until it is heard.
    public func setBuffer(seconds: Double) { withCurrentState { $0.setup.buffer = seconds } }

    // MARK: AudioDeviceSink

    public func prepare() { state.withLock { $0.calls.append(.prepare) } }

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
                prefill: Int(rate * state.setup.buffer)
            )
            state.ring?.setGain(state.gain)
            state.beginPlaying(at: clock.now, after: state.setup.startDelay)
            return taken
        }
    }

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
            state.bufferedSamples = []
            state.isSilent = true
            state.ring?.flush()
            // A stream that is emptied begins anew.
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

    public var startDelay: Int64 {
        withCurrentState { state in
            guard state.isConnected, !state.isSuspended else { return 0 }
            let pendingTime = state.earliestOutput.nanoseconds(since: clock.now)
            return max(pendingTime, Int64(state.setup.startDelay * 1e9))
                + Int64(state.setup.startDelayError * 1e9)
        }
    }

    public var lead: Int64 { state.withLock { Int64($0.setup.lead * 1e9) } }
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

    /// Plays up to the present, then does `body`, then takes what is there.
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

    /// The audio of the time that has passed.
    mutating func play(until time: HostTime) {
        guard isPlaying else { return }
        while playedTo < time {
            fill(at: playedTo)
            // In steps, so that what is in hand never runs out only because much time has passed.
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

    /// Keeps its buffer full.
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
