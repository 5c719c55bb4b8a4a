import MediaCore
import PlayheadBackend

/// Writes processed audio to the sink: it is converted to the format that the sink requests, and scaled by the
/// player's volume. A device receives it at its time, and applies the volume itself.
///
/// Confined to the audio lane.
final class AudioSinkWriter {
    private let sink: any AudioSink
    /// The scheduler for a sink with a device, otherwise nil.
    private let scheduler: AudioScheduler?
    private let makeConverter: @Sendable (AudioFormat) -> any AudioConverter
    private var inputFormat: AudioFormat?
    private var sinkFormat: AudioFormat?
    private var converter: (any AudioConverter)?
    private var gain = AudioGain()

    init(
        sink: any AudioSink,
        scheduler: AudioScheduler?,
        makeConverter: @escaping @Sendable (AudioFormat) -> any AudioConverter
    ) {
        self.sink = sink
        self.scheduler = scheduler
        self.makeConverter = makeConverter
    }

    func write(_ buffer: AudioBuffer, _ placement: AudioPlacement) throws {
        try prepare(for: buffer.format, placement)
        if let converter {
            if let converted = try converter.convert(buffer) { try writeToSink(converted, placement) }
        } else {
            try writeToSink(buffer, placement)
        }
    }

    /// Writes the audio that the resampler holds.
    func drain(_ placement: AudioPlacement) throws {
        if let converter, let remaining = try converter.drain() { try writeToSink(remaining, placement) }
    }

    /// Discards the audio that the resampler holds.
    func resetConversion() { converter?.reset() }

    /// Sets the volume of a sink without a device, from 0 to 1.
    func setVolume(_ volume: Float) { gain.set(volume) }

    /// Discards what the sink has not played. The next buffer does not follow the last one.
    func flush() {
        gain.reset()
        if let scheduler { scheduler.flush() } else { sink.flush() }
    }

    private func prepare(for format: AudioFormat, _ placement: AudioPlacement) throws {
        guard format != inputFormat else { return }
        let next = try sink.start(format)
        // The converter accepts another input format, but what it holds of the old one is written first.
        if let converter, next != sinkFormat, let remaining = try converter.drain() {
            try writeToSink(remaining, placement)
        }
        inputFormat = format
        if next == format, converter == nil || next != sinkFormat {
            converter = nil
        } else if converter == nil || next != sinkFormat {
            converter = makeConverter(next)
        }
        sinkFormat = next
    }

    private func writeToSink(_ buffer: AudioBuffer, _ placement: AudioPlacement) throws {
        // The volume is applied last, so that it does not affect the conversion.
        if let scheduler {
            try scheduler.write(buffer, placement)
        } else {
            try sink.write(gain.apply(to: buffer))
        }
    }
}
