internal import CFFmpeg
package import MediaCore
import PlayheadBackend

/// An audio converter that uses libswresample.
///
/// `@unchecked Sendable`: the members are used by one call at a time, as `AudioConverter` requires.
package final class FFmpegAudioConverter: AudioConverter, @unchecked Sendable {
    private let output: AudioFormat
    private var resampler: Resampler?
    /// The presentation time of the next converted sample, for the result of `drain`.
    private var nextTime: MediaTime = .zero
    private var last: (rate: Double, epoch: Epoch, pass: Int) = (1, Epoch(), 0)
    private let log = LibraryLog()

    package init(to format: AudioFormat) { output = format }

    package func convert(_ buffer: AudioBuffer) throws(MediaError) -> AudioBuffer? {
        if resampler == nil && buffer.format == output { return buffer }
        guard buffer.frameCount > 0 else { return nil }
        var old: Resampler?
        if let resampler, resampler.input != buffer.format {
            old = resampler
            self.resampler = nil
        }
        let current: Resampler
        if let resampler {
            current = resampler
        } else {
            current = try Resampler(from: buffer.format, to: output, log: log)
            resampler = current
        }
        // The samples that the old resampler still holds come first. They may be of another item with times of its own.
        let held = (old ?? current).delay
        let time = buffer.presentationTime - (buffer.rate == 1 ? held : held * buffer.rate)
        last = (buffer.rate, buffer.epoch, buffer.pass)
        let steps: [Step] = (old.map { [($0, nil)] } ?? []) + [(current, buffer)]
        return try collect(steps, at: time)
    }

    package func drain() throws(MediaError) -> AudioBuffer? {
        guard let resampler else { return nil }
        self.resampler = nil
        return try collect([(resampler, nil)], at: nextTime)
    }

    package func reset() { resampler = nil }

    private typealias Step = (resampler: Resampler, buffer: AudioBuffer?)

    /// Runs conversions one after the other into one new buffer.
    private func collect(_ steps: [Step], at time: MediaTime) throws(MediaError) -> AudioBuffer? {
        let room = steps.reduce(0) { $0 + $1.resampler.outputCount($1.buffer?.frameCount ?? 0) }
        // Short audio is held completely, and is then returned by `drain`.
        nextTime = time
        guard room > 0 else { return nil }
        let frame = try makeFrame(room)
        var count = 0
        for step in steps {
            let written = log.capture {
                step.resampler.convert(step.buffer, into: frame.pointer, at: count, room: room - count)
            }
            guard written >= 0 else {
                throw LibraryError.make(
                    written,
                    "audio conversion failed",
                    fallback: .conversionFailed,
                    log: log
                )
            }
            count += Int(written)
        }
        frame.pointer.pointee.nb_samples = Int32(clamping: count)
        guard count > 0 else { return nil }
        var result = AudioBuffer(
            format: output,
            presentationTime: time,
            frameCount: count,
            storage: FFmpegAudioStorage(frame),
            epoch: last.epoch,
            pass: last.pass
        )
        result.rate = last.rate
        nextTime = time + result.itemDuration
        return result
    }

    private func makeFrame(_ sampleCount: Int) throws(MediaError) -> FrameOwner {
        let frame = try FrameOwner()
        frame.pointer.pointee.nb_samples = Int32(clamping: sampleCount)
        frame.pointer.pointee.format = av_get_sample_fmt(output.sampleFormat.rawValue).rawValue
        frame.pointer.pointee.sample_rate = Int32(clamping: output.sampleRate)
        frame.pointer.pointee.ch_layout = Resampler.layout(output.channelLayout)
        let code = av_frame_get_buffer(frame.pointer, 0)
        if code < 0 {
            throw LibraryError.make(code, "no memory for an audio buffer", fallback: .resourceLimit)
        }
        return frame
    }
}
