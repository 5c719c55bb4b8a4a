internal import CALSA
internal import Glibc
internal import MediaCore
internal import PlayheadBackend
internal import Synchronization

/// An open device. All of it runs on the thread of `ALSADevice`.
///
/// The device is filled every 20 ms, by time and not by its descriptors: ALSA's plugins report those as ready in
/// different ways. Most devices cannot pause, so a pause drops what the device holds and writes it again afterwards.
///
/// Plugins such as `null` and `file` consume samples at once. For them, the host's clock is the clock of the device.
final class ALSAStream {
    let name: String
    private let functions: ph_alsa
    private let library: ALSALibrary
    private let pcm: OpaquePointer
    private let ring: SampleRing
    private let signals: AudioDeviceSignals
    private let clock: any HostClock
    private let channelCount: Int
    private let rate: Int64
    /// The number of samples per channel that the device holds at most.
    private let capacity: Int
    private let order: [Int]?
    private let scratch: UnsafeMutablePointer<Float>
    /// Samples for the device that were read from the ring.
    private var unsent: ArraySlice<Float> = []
    /// The last samples that were sent, as many as the device holds at most.
    private var sent = SentSamples()

    private var isRunning = false
    private var isSuspended = false
    private var flushes: Int
    /// The time at which the device was started, until its first sample has been measured.
    private var startedAt: HostTime?
    /// The time at which the next sample is heard, if the device consumes samples at once.
    private var simulatedEnd: HostTime?
    /// The part of the simulated buffer that a pause has stopped, in nanoseconds.
    private var simulatedRest: Int64 = 0
    private var isImmediate = false

    init(
        _ library: ALSALibrary,
        _ name: String,
        _ format: AudioFormat,
        _ ring: SampleRing,
        _ signals: AudioDeviceSignals,
        _ clock: any HostClock
    ) throws(ALSAFailure) {
        self.library = library
        self.name = name
        self.ring = ring
        self.signals = signals
        self.clock = clock
        functions = library.functions
        channelCount = format.channelCount
        rate = Int64(format.sampleRate)
        order = Self.deviceOrder[format.channelCount]
        pcm = try Self.open(library, name, format)
        var (buffer, period) = (snd_pcm_uframes_t(0), snd_pcm_uframes_t(0))
        let code = functions.pcm_get_params(pcm, &buffer, &period)
        capacity = Int(clamping: buffer)
        scratch = .allocate(capacity: max(1, Int(clamping: buffer)) * format.channelCount)
        flushes = signals.flushes.load(ordering: .acquiring)
        guard code >= 0, buffer > 0 else {
            _ = functions.pcm_close(pcm)
            throw ALSAFailure(Int(code < 0 ? code : -EINVAL), library)
        }
    }

    deinit { scratch.deallocate() }

    /// Opens the device itself, or through `plug` if it does not accept the format.
    private static func open(
        _ library: ALSALibrary,
        _ name: String,
        _ format: AudioFormat
    ) throws(ALSAFailure) -> OpaquePointer {
        do throws(ALSAFailure) {
            return try openOne(library, name, format)
        } catch {
            // The errors with which devices refuse parameters.
            guard [-EINVAL, -ENODEV, -ENOTTY].contains(error.code), !name.contains("'") else { throw error }
            do throws(ALSAFailure) {
                return try openOne(library, "plug:SLAVE='\(name)'", format)
            } catch let second {
                throw error.code == -EINVAL ? second : error
            }
        }
    }

    private static func openOne(
        _ library: ALSALibrary,
        _ name: String,
        _ format: AudioFormat
    ) throws(ALSAFailure) -> OpaquePointer {
        let functions = library.functions
        var opened: OpaquePointer?
        // Nonblocking: a device that another program uses is an error, and no write waits.
        let code = functions.pcm_open(
            &opened,
            name,
            Int32(PH_SND_PCM_STREAM_PLAYBACK),
            Int32(PH_SND_PCM_NONBLOCK)
        )
        guard code >= 0, let pcm = opened else { throw ALSAFailure(Int(code), library) }
        let refusal = functions.pcm_set_params(
            pcm,
            Int32(PH_SND_PCM_FORMAT_FLOAT),
            Int32(PH_SND_PCM_ACCESS_RW_INTERLEAVED),
            UInt32(format.channelCount),
            UInt32(format.sampleRate),
            1,
            UInt32(AudioDeviceBuffer.deviceBufferSeconds * 1e6)
        )
        guard refusal >= 0 else {
            _ = functions.pcm_close(pcm)
            throw ALSAFailure(Int(refusal), library)
        }
        return pcm
    }

    /// Closes the device. The stream is not used after this.
    func close() {
        if isRunning { _ = functions.pcm_drop(pcm) }
        _ = functions.pcm_close(pcm)
    }

    /// Applies requests, fills the device and publishes its position. Returns the number of milliseconds until the
    /// next step, or nil to wait for a wake-up.
    func step(isPaused: Bool) throws(ALSAFailure) -> Int? {
        try applyFlush()
        if isPaused {
            try pause()
            return nil
        }
        if isSuspended, try !resume() { return Self.resumeInterval }
        try fill()
        // Nothing reports the end of a suspension.
        if isSuspended { return Self.resumeInterval }
        guard isRunning else { return nil }
        try publish()
        return Self.interval
    }

    // MARK: Requests

    private func applyFlush() throws(ALSAFailure) {
        let newest = signals.flushes.load(ordering: .acquiring)
        guard newest != flushes else { return }
        flushes = newest
        try stop()
        unsent = []
        simulatedRest = 0
    }

    private func pause() throws(ALSAFailure) {
        guard isRunning else { return }
        if let simulatedEnd {
            simulatedRest = simulatedEnd.nanoseconds(since: clock.now)
        } else if let room = try available() {
            unsent = sent.last((capacity - room) * channelCount) + unsent
        }
        try stop()
    }

    /// Empties the device.
    private func stop() throws(ALSAFailure) {
        signals.timing.invalidate()
        sent.removeAll()
        simulatedEnd = nil
        guard isRunning else { return }
        isRunning = false
        try check(functions.pcm_drop(pcm))
        try check(functions.pcm_prepare(pcm))
    }

    private func check(_ code: Int32) throws(ALSAFailure) {
        if code < 0 { throw ALSAFailure(Int(code), library) }
    }

    // MARK: Samples

    private func fill() throws(ALSAFailure) {
        // The next writer wakes this thread, unless it wrote before the ring is checked below.
        signals.isWaitingForSamples.store(!isRunning, ordering: .sequentiallyConsistent)
        guard try sendUnsent() else { return }
        try startIfNeeded()
        guard ring.isReady, var room = try available() else { return }
        if isImmediate { room = immediateRoom }
        let ready = ring.availableCount(of: room)
        let held = isImmediate ? immediateHeld : capacity - room
        // Silence replaces missing samples only when the device is about to run out of them.
        let silence = isRunning ? max(0, Self.lowWaterMilliseconds * Int(rate) / 1000 - held - ready) : 0
        var count = min(room, ready + silence)
        while count > 0 {
            let part = min(count, capacity)
            ring.read(into: scratch, count: part)
            if let order { reorder(part, order) }
            unsent = ArraySlice(UnsafeBufferPointer(start: scratch, count: part * channelCount))
            guard try sendUnsent() else { return }
            count -= part
        }
        try startIfNeeded()
    }

    /// Sends the samples that were read from the ring. Returns false if the device does not accept all of them now.
    private func sendUnsent() throws(ALSAFailure) -> Bool {
        var recoveries = 0
        while !unsent.isEmpty {
            let count = unsent.withUnsafeBufferPointer { samples in
                functions.pcm_writei(
                    pcm,
                    samples.baseAddress,
                    snd_pcm_uframes_t(samples.count / channelCount)
                )
            }
            guard count >= 0 else {
                guard count != -Int(EAGAIN) else {
                    try startIfNeeded()
                    return false
                }
                recoveries += 1
                guard recoveries < 3 else { throw ALSAFailure(count, library) }
                guard try recover(count) else { return false }
                continue
            }
            guard count > 0 else { return false }
            let samples = unsent.prefix(count * channelCount)
            sent.append(samples, keeping: capacity * channelCount)
            unsent = unsent.dropFirst(samples.count)
            if let end = simulatedEnd { simulatedEnd = end.advanced(by: nanoseconds(count)) }
        }
        return true
    }

    /// Starts the device when it has received its first samples.
    private func startIfNeeded() throws(ALSAFailure) {
        guard !isRunning, !sent.isEmpty || simulatedRest > 0 else { return }
        // A device that has consumed its samples before it runs has no clock.
        if let room = try available() { isImmediate = room >= capacity }
        let now = clock.now
        let code = functions.pcm_start(pcm)
        // A device may have started by itself, because its buffer was full.
        if code < 0, code != -EBADFD {
            _ = try recover(Int(code))
            return
        }
        isRunning = true
        startedAt = now
        if isImmediate {
            simulatedEnd = now.advanced(by: simulatedRest + nanoseconds(sent.count / channelCount))
            simulatedRest = 0
        }
        signals.isWaitingForSamples.store(false, ordering: .relaxed)
    }

    /// Returns how many samples per channel the device accepts; nil if it does not accept any now.
    private func available() throws(ALSAFailure) -> Int? {
        let count = functions.pcm_avail(pcm)
        guard count < 0 else { return min(capacity, Int(count)) }
        // After a recovery, the device is empty.
        return try recover(count) ? capacity : nil
    }

    private var immediateHeld: Int {
        let end = simulatedEnd ?? clock.now.advanced(by: simulatedRest)
        return Int(clamping: end.nanoseconds(since: clock.now) * rate / 1_000_000_000)
    }

    private var immediateRoom: Int {
        max(0, Int(AudioDeviceBuffer.prefillSeconds * Double(rate)) - immediateHeld)
    }

    private func reorder(_ count: Int, _ order: [Int]) {
        for frame in 0..<count {
            let samples = scratch + frame * channelCount
            let before = (0..<channelCount).map { samples[$0] }
            for (target, source) in order.enumerated() { samples[target] = before[source] }
        }
    }

    // MARK: Recovery

    /// Recovers from an underrun or from the suspension of the machine. Returns false if the device is not ready.
    ///
    /// - Throws: The failure, if the device is lost.
    private func recover(_ code: Int) throws(ALSAFailure) -> Bool {
        signals.timing.invalidate()
        let wasRunning = isRunning
        isRunning = false
        // The ring may be empty, and a device that has stopped is not served by time.
        signals.isWaitingForSamples.store(true, ordering: .sequentiallyConsistent)
        sent.removeAll()
        if code == -Int(ESTRPIPE) {
            isSuspended = true
            return try resume()
        }
        try check(functions.pcm_recover(pcm, Int32(clamping: code), 1))
        if wasRunning, ring.isExpectingSamples { signals.deviceUnderruns.add(1, ordering: .relaxed) }
        return true
    }

    /// Ends the suspension of the device. Returns false if it is still suspended.
    private func resume() throws(ALSAFailure) -> Bool {
        signals.canPlay.store(false, ordering: .relaxed)
        guard functions.pcm_resume(pcm) != -EAGAIN else { return false }
        isSuspended = false
        // What the device held is outdated.
        try check(functions.pcm_prepare(pcm))
        signals.canPlay.store(true, ordering: .relaxed)
        return true
    }

    // MARK: Timing

    /// Publishes the next sample to be written and the time at which it will be heard.
    private func publish() throws(ALSAFailure) {
        guard let next = ring.next else { return }
        let now = clock.now
        var heardAt = now
        if let simulatedEnd {
            heardAt = simulatedEnd
        } else {
            var delay: snd_pcm_sframes_t = 0
            let code = functions.pcm_delay(pcm, &delay)
            guard code >= 0 else {
                _ = try recover(Int(code))
                return
            }
            heardAt = now.advanced(by: nanoseconds(Int(delay)))
        }
        heardAt = heardAt.advanced(by: nanoseconds(unsent.count / channelCount))
        updateStartDelay(next.frame, heardAt)
        signals.timing.publish(
            AudioDevicePosition(frame: next.frame, heardAt: heardAt, measuredAt: now, flushes: next.flushes)
        )
    }

    /// Measures the time from starting the device until its first sample is heard, as an estimate for the next start.
    private func updateStartDelay(_ frame: Int64, _ heardAt: HostTime) {
        guard let startedAt else { return }
        self.startedAt = nil
        guard frame < rate else { return }
        let first = heardAt.advanced(by: -nanoseconds(Int(frame)))
        let delay = max(0, min(250_000_000, first.nanoseconds(since: startedAt)))
        signals.startDelay.store(delay, ordering: .relaxed)
    }

    private func nanoseconds(_ frames: Int) -> Int64 { Int64(clamping: frames) * 1_000_000_000 / rate }

    /// The time between two steps, in milliseconds. The device holds ten times as much.
    private static let interval = 20
    /// The time between two attempts to resume a suspended device, in milliseconds.
    private static let resumeInterval = 100
    /// Silence is written if the device holds less than this.
    private static let lowWaterMilliseconds = 40
    /// For each number of channels in which ALSA's order differs from that of WAVE files: the channels in ALSA's order.
    /// ALSA has the surround channels before the center and the low frequencies.
    private static let deviceOrder: [Int: [Int]] = [
        5: [0, 1, 3, 4, 2], 6: [0, 1, 4, 5, 2, 3], 8: [0, 1, 4, 5, 2, 3, 6, 7],
    ]
}
