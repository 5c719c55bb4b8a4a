public import MediaCore
import Synchronization

/// Sound on its way to the audio sink: processed, converted to what the sink asked for, and made as loud as
/// the player is, on a lane of its own.
public final class AudioOutputLane: @unchecked Sendable {
    private let lane: any Lane
    private let sink: any AudioSink
    private let makeConverter: @Sendable (AudioFormat) -> any AudioConverter
    private let report: @Sendable (OutputReport) -> Void

    // Confined to the lane.
    private var decoded: AudioFormat?
    private var converter: (any AudioConverter)?
    private var isFinished = false
    private let processing: AudioProcessing
    private var gain = AudioGain()

    public init(
        driver: any Driver,
        sink: any AudioSink,
        makeConverter: @escaping @Sendable (AudioFormat) -> any AudioConverter,
        makeStretcher: @escaping @Sendable () -> (any AudioTimeStretcher)? = { nil },
        report: @escaping @Sendable (OutputReport) -> Void
    ) {
        lane = driver.makeLane(.presenting, label: "audio")
        self.sink = sink
        self.makeConverter = makeConverter
        self.report = report
        processing = AudioProcessing(makeStretcher: makeStretcher, meters: AudioMeters(driver: driver))
    }

    func write(_ buffer: AudioBuffer, _ origin: AudioOrigin = AudioOrigin()) {
        lane.enqueue { [self] in hand { processing.process(buffer, origin) } }
    }

    /// Nothing follows what was written, for now: what processing and the resampler still hold goes to the sink.
    func endSound() {
        lane.enqueue { [self] in
            hand { processing.finish() }
            guard !isFinished else { return }
            do {
                if let converter, let rest = try converter.drain() { try send(rest) }
            } catch {
                fail(error)
            }
        }
    }

    private func hand(_ make: () -> [AudioBuffer]) {
        guard !isFinished else { return }
        do {
            for buffer in make() { try take(buffer) }
        } catch {
            fail(error)
        }
    }

    private func fail(_ error: any Error) {
        finishNow()
        let words = "the audio sink failed and was taken off: \(error)"
        report(.sinkFailed(MediaError(.sinkFailed, words), error))
    }

    private func take(_ buffer: AudioBuffer) throws {
        try prepare(for: buffer.format)
        if let converter {
            if let converted = try converter.convert(buffer) { try send(converted) }
        } else {
            try send(buffer)
        }
    }

    /// Volume comes last, so that it changes neither what is converted nor how.
    private func send(_ buffer: AudioBuffer) throws { try sink.write(gain.apply(to: buffer)) }

    private func prepare(for format: AudioFormat) throws {
        guard format != decoded else { return }
        if let converter, let rest = try converter.drain() { try send(rest) }
        decoded = format
        let wanted = try sink.start(format)
        converter = wanted == format ? nil : makeConverter(wanted)
    }

    func setPaused(_ isPaused: Bool) { lane.enqueue { [self] in sink.setPaused(isPaused) } }

    /// 0...1, after mute is applied. Muted samples are written as silence, so that a sink that is the clock
    /// keeps going.
    func setVolume(_ volume: Float) { lane.enqueue { [self] in gain.set(volume) } }

    func flush() {
        lane.enqueue { [self] in
            processing.reset()
            converter?.reset()
            gain.settle()
            sink.flush()
        }
    }

    /// What processing and the resampler still hold belongs to the sink: the sound ends here.
    public func finish() { lane.enqueue { [self] in finishNow() } }

    private func finishNow() {
        guard !isFinished else { return }
        isFinished = true
        do {
            for buffer in processing.finish() { try take(buffer) }
            if let converter, let rest = try converter.drain() { try send(rest) }
        } catch {
            report(.sinkFailed(MediaError(.sinkFailed, "the end of the sound was lost: \(error)"), error))
        }
        sink.finish()
    }

    /// The lane's work so far is done when `body` runs.
    public func afterPending(_ body: @escaping @Sendable () -> Void) { lane.enqueue(body) }
}
