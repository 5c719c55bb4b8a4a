public import FoundationEssentials
public import MediaCore
import PlaybackEngine
import PlayheadBackend

/// The wall clock as a source of time.
extension Player {
    /// Sets the rate, and synchronizes item time `time` with a time on the machine's wall clock. Players in several
    /// processes, and on machines whose clocks agree, can thus play in step. The method seeks exactly.
    ///
    /// The wall clock is read once, and the start is then that of `setRate(_:time:atHostTime:)`. If the wall clock is set
    /// later, call the method again. On a virtual clock the wall clock has no meaning.
    ///
    /// - Parameters:
    ///   - rate: The rate, in the range -32...32.
    ///   - time: The item time. An invalid time means the current one.
    ///   - wallTime: The time on the wall clock. It may have passed: the player then catches up.
    public func setRate(_ rate: Float, time: MediaTime, atWallTime wallTime: Date) {
        let nanoseconds = Int64(clamping: (wallTime.timeIntervalSince1970 * 1e9).rounded())
        setRate(rate, time: time, atHostTime: wallClockReading.host(at: nanoseconds).mediaTime)
    }

    /// The wall clock and the player's clock at this moment.
    package var wallClockReading: WallClockReading { WallClockReading { hostTime } }

    /// Plays slightly faster or slower, to stay in step with another clock. The rate does not change. The pace lasts
    /// until the next call, seek or change of rate.
    ///
    /// - Parameters:
    ///   - millionths: The correction in millionths; a negative value slows playback down.
    ///   - interval: The nanoseconds until the next call. A device skips or repeats as many samples as the correction
    ///     amounts to in that time, and the timeline follows it.
    package func correctPace(by millionths: Int64, every interval: Int64) {
        core.loop.perform { $0.correctPace(by: millionths, every: interval) }
    }
}

extension Int64 {
    fileprivate init(clamping value: Double) {
        self = Int64(exactly: value) ?? (value > 0 ? .max : .min)
    }
}
