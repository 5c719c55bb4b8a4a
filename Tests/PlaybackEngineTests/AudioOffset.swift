import MediaCore
import PlaybackEngine
import PlayheadTesting

/// Measurements of the offset between the audio of a simulated device and the video.
extension EngineTestBench {
    /// The current item time in milliseconds.
    var time: Double { loop.snapshot.itemTime(at: driver.now).seconds * 1000 }

    /// Returns the item time of the audio that is heard now, in milliseconds, or nil if nothing is heard. The
    /// script has a sample rate of 48 kHz.
    ///
    /// - Parameter time: The expected time. Sample values repeat every 1,365 ms, and the nearest match is
    ///   returned.
    func heard(near time: Double) -> Double? {
        guard let sample = heardSample else { return nil }
        let index = Int((time * 48).rounded()) - 1
        let difference = Int16(truncatingIfNeeded: Int(sample) - index)
        return Double(index + Int(difference) + 1) / 48
    }

    /// The last sample that has been heard completely.
    private var heardSample: Int16? { audioDevice.sample(at: driver.now.advanced(by: -20_833)) }

    /// The time by which the audio is ahead of the video, in milliseconds.
    var offset: Double? { heard(near: time).map { $0 - time } }

    /// The state of audio and video at one time, in milliseconds.
    struct Moment {
        var host: Double
        var time: Double
        /// The item time that has passed since the preceding moment.
        var step: Double
        /// The offset of the audio, or nil if nothing or silence is heard.
        var offset: Double?
    }

    /// Advances the time in steps, and returns the state after each step.
    func run(seconds: Double, step: Double = 0.005) -> [Moment] {
        var moments: [Moment] = []
        var last = time
        for _ in 0..<Int((seconds / step).rounded()) {
            driver.run(seconds: step)
            let time = time
            let isSilent = heardSample.map { $0 == 0 } ?? true
            moments.append(
                Moment(
                    host: Double(driver.now.nanoseconds) / 1e6,
                    time: time,
                    step: time - last,
                    offset: isSilent ? nil : offset
                )
            )
            last = time
        }
        return moments
    }
}

extension [EngineTestBench.Moment] {
    /// The largest absolute offset, not counting silence.
    var worstOffset: Double { compactMap(\.offset).map(abs).max() ?? .infinity }
    /// The smallest and the largest item time that passed in a step.
    var steps: ClosedRange<Double> { (map(\.step).min() ?? -1)...(map(\.step).max() ?? .infinity) }
}

extension ScriptedMedia {
    /// A clip with 25 frames per second and audio.
    static func clip(seconds: Int, audioSeconds: Double? = nil) -> ScriptedMedia {
        ScriptedMedia(
            video: .init(frameCount: seconds * 25, frameRate: 25, keyInterval: 10, bFrames: 2),
            audio: .init(sampleCount: Int((audioSeconds ?? Double(seconds)) * 48_000))
        )
    }
}
