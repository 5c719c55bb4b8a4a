public import MediaCore
import Synchronization

/// Sound on its way to the audio sink: converted to what the sink asked for, on a lane of its own.
public final class AudioOutputLane: @unchecked Sendable {
    private let lane: any Lane
    private let sink: any AudioSink
    private let makeConverter: @Sendable (AudioFormat) -> any AudioConverter
    private let report: @Sendable (OutputReport) -> Void

    // Confined to the lane.
    private var decoded: AudioFormat?
    private var converter: (any AudioConverter)?
    private var isFinished = false

    public init(
        driver: any Driver,
        sink: any AudioSink,
        makeConverter: @escaping @Sendable (AudioFormat) -> any AudioConverter,
        report: @escaping @Sendable (OutputReport) -> Void
    ) {
        lane = driver.makeLane(.presenting, label: "audio")
        self.sink = sink
        self.makeConverter = makeConverter
        self.report = report
    }

    func write(_ buffer: AudioBuffer) {
        lane.enqueue { [self] in
            guard !isFinished else { return }
            do {
                try prepare(for: buffer.format)
                if let converter {
                    if let converted = try converter.convert(buffer) { try sink.write(converted) }
                } else {
                    try sink.write(buffer)
                }
            } catch {
                finishNow()
                report(
                    .sinkFailed(
                        MediaError(.sinkFailed, "the audio sink failed and was taken off: \(error)"),
                        error
                    )
                )
            }
        }
    }

    private func prepare(for format: AudioFormat) throws {
        guard format != decoded else { return }
        if let converter, let rest = try converter.drain() { try sink.write(rest) }
        decoded = format
        let wanted = try sink.start(format)
        converter = wanted == format ? nil : makeConverter(wanted)
    }

    func setPaused(_ isPaused: Bool) { lane.enqueue { [self] in sink.setPaused(isPaused) } }

    func setVolume(_ volume: Float) { lane.enqueue { [self] in sink.setVolume(volume) } }

    func flush() {
        lane.enqueue { [self] in
            converter?.reset()
            sink.flush()
        }
    }

    /// What the resampler still holds belongs to the sink: the sound ends here.
    public func finish() { lane.enqueue { [self] in finishNow() } }

    private func finishNow() {
        guard !isFinished else { return }
        isFinished = true
        do {
            if let converter, let rest = try converter.drain() { try sink.write(rest) }
        } catch {
            report(.sinkFailed(MediaError(.sinkFailed, "the end of the sound was lost: \(error)"), error))
        }
        sink.finish()
    }

    /// The lane's work so far is done when `body` runs.
    public func afterPending(_ body: @escaping @Sendable () -> Void) { lane.enqueue(body) }
}
