import MediaCore
import PlaybackEngine
import PlayheadTesting

/// How audio that a simulated device plays lies to the time of the video.
extension EngineTestBench {
    /// Item time now, in milliseconds.
    var time: Double { loop.snapshot.itemTime(at: driver.now).seconds * 1000 }

    /// What is heard now of a script at 48 kHz, in milliseconds of item time; `near` tells which of the times that
    /// sound alike (they do each 1,365 ms) is meant. nil: nothing is heard.
    func heard(near time: Double) -> Double? {
        guard let sample = heardSample else { return nil }
        let index = Int((time * 48).rounded()) - 1
        let difference = Int16(truncatingIfNeeded: Int(sample) - index)
        return Double(index + Int(difference) + 1) / 48
    }

    /// A sample is heard for a while; this is the last one that was heard to its end.
    private var heardSample: Int16? { audioDevice.sample(at: driver.now.advanced(by: -20_833)) }

    /// By how much the audio is ahead of the video's time, in milliseconds.
    var offset: Double? { heard(near: time).map { $0 - time } }

    /// What was to be seen and heard at a moment; milliseconds.
    struct Moment {
        var host: Double
        var time: Double
        /// By how much time went on since the moment before.
        var step: Double
        /// nil: nothing is heard, or silence.
        var offset: Double?
    }

    /// Lets time pass in steps, and looks after each one.
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
    /// The largest offset without its sign; moments of silence do not count.
    var worstOffset: Double { compactMap(\.offset).map(abs).max() ?? .infinity }
    /// How far time went on in a step, at least and at most.
    var steps: ClosedRange<Double> { (map(\.step).min() ?? -1)...(map(\.step).max() ?? .infinity) }
}

extension ScriptedMedia {
    /// 25 pictures a second, and sound as long.
    static func clip(seconds: Int, audioSeconds: Double? = nil) -> ScriptedMedia {
        ScriptedMedia(
            video: .init(frameCount: seconds * 25, frameRate: 25, keyInterval: 10, bFrames: 2),
            audio: .init(sampleCount: Int((audioSeconds ?? Double(seconds)) * 48_000))
        )
    }
}
