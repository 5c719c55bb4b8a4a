import FFmpeg
import MediaCore
import Playhead

/// Each picture that was shown, by its time and hash, and how it ended.
struct ServedPlaying: Equatable {
    var frames: [String] = []
    var ending = ""

    /// On the virtual clock, to the end.
    static func of(_ asset: Asset, _ during: @Sendable (Player) -> Void = { _ in }) async -> ServedPlaying {
        var configuration = Player.Configuration()
        configuration.clock = .virtual
        configuration.audio = .none
        let player = Player(configuration: configuration)
        let frames = Locked([String]())
        let layer = PlayerLayer(player: player)
        layer.add(
            CallbackVideoSink { frame in
                let line = "\(frame.presentationTime.seconds) \(FrameDigest.digest(of: frame))"
                frames.withLock { $0.append(line) }
            }
        )
        let events = player.events
        player.play()
        player.replaceCurrentItem(with: PlayerItem(asset: asset))
        during(player)
        var playing = ServedPlaying()
        for await event in events {
            switch event {
            case .didPlayToEndTime: playing.ending = "end"
            case .failedToPlayToEndTime(_, let error): playing.ending = "\(error.code)"
            case .itemStatusChanged(let item, .failed):
                playing.ending = (item.error?.code).map { "\($0)" } ?? "?"
            case .playbackStalled: playing.frames.append("stall")
            default: continue
            }
            if !playing.ending.isEmpty { break }
        }
        await player.shutdown()
        playing.frames = withExtendedLifetime(layer) { frames.withLock { $0 } }
        return playing
    }
}
