internal import FFmpeg
package import Playhead

/// What a player shows and lets hear of an asset on the virtual clock, from its start to its end.
package struct Showing: Equatable, Sendable {
    /// Each picture, by its time and hash; where playing stalls, "stall".
    package var frames: [String] = []
    /// All samples, as the decoder makes them.
    package var sound = ""
    package var sampleCount = 0
    /// "end", or the code of what ended it.
    package var ending = ""
    /// What it says of that.
    package var words = ""
    package var duration = MediaTime.invalid
    /// What was lost on the way, by its code, and in words.
    package var faults: [String] = []

    /// `during`: called for each event, while the clock stands still.
    package static func play(
        _ asset: Asset,
        size: PixelSize? = nil,
        during: @escaping @Sendable (Player, PlayerEvent) -> Void = { _, _ in }
    ) async -> Showing {
        let ear = Ear()
        var configuration = Player.Configuration()
        configuration.clock = .virtual
        configuration.audio = .sink(ear)
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
        var showing = Showing()
        let events = player.events
        let token = player.onEvent { [weak player] timed in
            if let player { during(player, timed.event) }
        }
        player.play()
        let item = PlayerItem(asset: asset)
        player.replaceCurrentItem(with: item)
        for await event in events {
            switch event {
            case .didPlayToEndTime: showing.ending = "end"
            case .failedToPlayToEndTime(_, let error):
                (showing.ending, showing.words) = ("\(error.code)", error.message)
            case .itemStatusChanged(let item, .failed):
                showing.ending = (item.error?.code).map { "\($0)" } ?? "?"
                showing.words = item.error?.message ?? ""
            case .errorLogEntry(_, let entry) where entry.isRecovered:
                showing.faults.append("\(entry.error.code): \(entry.error.message)")
                continue
            case .playbackStalled: frames.withLock { $0.append("stall") }
            default: continue
            }
            if !showing.ending.isEmpty { break }
        }
        showing.duration = item.duration
        await player.shutdown()
        showing.frames = withExtendedLifetime((layer, token)) { frames.withLock { $0 } }
        (showing.sound, showing.sampleCount) = ear.heard
        return showing
    }

    /// Keeps what it hears.
    private final class Ear: AudioSink {
        private let state = Locked((bytes: [UInt8](), count: 0))

        var heard: (String, Int) {
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
