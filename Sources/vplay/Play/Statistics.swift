import FoundationEssentials
import PlayheadBackend
import PlayheadCore

/// The text of `--stats`.
struct Statistics {
    let text: String

    init(_ counters: PlaybackCounters, _ audio: AudioDeviceFacts, _ options: PlayOptions) {
        let shown = counters.framesPresented
        let mean = shown > 0 ? counters.totalLateness / shown : .zero
        let startup = counters.startupTime.map(Self.milliseconds) ?? "none"
        var lines = [
            "frames: decoded \(counters.framesDecoded), presented \(shown), dropped \(counters.framesDropped), "
                + "late \(counters.framesLate), skipped by sinks \(counters.framesSkippedBySinks)",
            "lateness: worst \(Self.milliseconds(counters.worstLateness)), mean \(Self.milliseconds(mean))",
            "audio samples: \(counters.audioSamples)",
            Self.audio(audio, counters, options),
            "faults: \(counters.faults), stalls: \(counters.stalls), seeks: \(counters.seeks)",
        ].compactMap(\.self)
        let due = shown + counters.framesDropped
        let perPass =
            counters.passes > 0
            ? ", frames per pass: due \(Self.ratio(due, counters.passes)), "
                + "presented \(Self.ratio(shown, counters.passes))" : ""
        lines.append("passes: \(counters.passes)\(perPass)")
        // On the virtual clock no time passes before the first frame.
        lines.append("startup: \(options.isUntimed ? "not timed" : startup)")
        lines.append("peak memory: \(ProcessUsage.now.peakMemory >> 10) KiB")
        text = lines.joined(separator: "\n")
    }

    /// Returns the line for the audio device, or nil if audio does not go to a device.
    private static func audio(
        _ audio: AudioDeviceFacts,
        _ counters: PlaybackCounters,
        _ options: PlayOptions
    ) -> String? {
        switch options.audio {
        case .automatic where !options.isUntimed, .pulse, .alsa: break
        default: return nil
        }
        guard let device = audio.device else {
            return "audio device: none, underruns \(counters.audioUnderruns)"
        }
        let drift = (audio.drift * 10).rounded() / 10
        return "audio device: \(device), latency \(milliseconds(audio.latency)), "
            + "underruns \(counters.audioUnderruns), drift \(drift) ppm, "
            + "off by \(milliseconds(audio.offset)), at most \(milliseconds(audio.worstOffset)), "
            + "corrections \(audio.corrections)"
    }

    /// Returns milliseconds with microsecond resolution.
    private static func milliseconds(_ duration: Duration) -> String {
        String(printf: "%.3f ms", duration.seconds * 1e3)
    }

    private static func ratio(_ count: Int, _ parts: Int) -> String {
        count % parts == 0 ? "\(count / parts)" : "\(Double(count) / Double(parts))"
    }
}
