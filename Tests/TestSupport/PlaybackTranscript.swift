internal import FFmpeg
package import Playhead

/// The frames and samples that a player outputs for an asset on the virtual clock, from start to end.
package struct PlaybackTranscript: Equatable, Sendable {
    /// The time and hash of each frame, and "stall" for each stall.
    package var frames: [String] = []
    /// The hash of all samples in the decoder's format.
    package var audio = ""
    package var sampleCount = 0
    /// "end", or the code of the error that ended playback.
    package var ending = ""
    /// The message of that error.
    package var message = ""
    package var duration = MediaTime.invalid
    /// The codes and messages of errors that playback has recovered from.
    package var faults: [String] = []

    /// Returns what differs from another transcript, or nil if they are equal.
    package func difference(from other: PlaybackTranscript) -> String? {
        var parts: [String] = []
        func compare<Value: Equatable>(_ name: String, _ value: Value, _ expected: Value) {
            if value != expected { parts.append("\(name) \(value) instead of \(expected)") }
        }
        compare("number of frames", frames.count, other.frames.count)
        if let index = zip(frames, other.frames).enumerated().first(where: { $1.0 != $1.1 })?.offset {
            parts.append("frame \(index): \(frames[index]) instead of \(other.frames[index])")
        }
        compare("number of samples", sampleCount, other.sampleCount)
        compare("audio", audio, other.audio)
        compare("ending", ending, other.ending)
        compare("message", message, other.message)
        compare("duration", duration, other.duration)
        compare("faults", faults, other.faults)
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    /// Plays an asset, from `start` if that is set. `during` is called for each event while the clock is stopped.
    package static func play(
        _ asset: Asset,
        from start: MediaTime? = nil,
        size: PixelSize? = nil,
        during: @escaping @Sendable (Player, PlayerEvent) -> Void = { _, _ in }
    ) async -> PlaybackTranscript {
        let audioSink = MemoryAudioSink()
        var configuration = Player.Configuration()
        configuration.clock = .virtual
        configuration.audio = .sink(audioSink)
        let player = Player(configuration: configuration)
        let frames = Locked([String]())
        let layer = PlayerLayer(player: player)
        if let size { layer.size = size }
        layer.add(
            CallbackVideoSink { frame in
                let line = "\(frame.presentationTime.seconds) \(FrameDigest.digest(of: frame))"
                frames.withLock { $0.append(line) }
            }
        )
        var transcript = PlaybackTranscript()
        let events = player.events
        let token = player.onEvent { [weak player] timed in
            if let player { during(player, timed.event) }
        }
        player.play()
        let item = PlayerItem(asset: asset)
        if let start {
            item.seek(to: start, toleranceBefore: .zero, toleranceAfter: .zero, completionHandler: nil)
        }
        player.replaceCurrentItem(with: item)
        for await event in events {
            switch event {
            case .didPlayToEndTime: transcript.ending = "end"
            case .failedToPlayToEndTime(_, let error):
                (transcript.ending, transcript.message) = ("\(error.code)", error.message)
            case .itemStatusChanged(let item, .failed):
                transcript.ending = (item.error?.code).map { "\($0)" } ?? "?"
                transcript.message = item.error?.message ?? ""
            case .errorLogEntry(_, let entry) where entry.isRecovered:
                transcript.faults.append("\(entry.error.code): \(entry.error.message)")
                continue
            case .playbackStalled: frames.withLock { $0.append("stall") }
            default: continue
            }
            if !transcript.ending.isEmpty { break }
        }
        transcript.duration = item.duration
        await player.shutdown()
        transcript.frames = withExtendedLifetime((layer, token)) { frames.withLock { $0 } }
        (transcript.audio, transcript.sampleCount) = audioSink.output
        return transcript
    }

    /// A sink that keeps all samples.
    private final class MemoryAudioSink: AudioSink {
        private let state = Locked((bytes: [UInt8](), count: 0))

        var output: (String, Int) {
            state.withLock { state in
                let digest = FrameDigest()
                state.bytes.withUnsafeBytes { digest.update($0) }
                return (digest.finish(), state.count)
            }
        }

        func start(_ format: AudioFormat) -> AudioFormat { format }

        func write(_ buffer: AudioBuffer) {
            state.withLock { state in
                state.count += buffer.frameCount
                buffer.withPlanes { for plane in $0 { state.bytes += Array(plane) } }
            }
        }

        func finish() {}
    }
}
