internal import Foundation
internal import Playhead
internal import PlayheadTesting

/// A player over a script instead of a file, with one layer and an audio sink that keep nothing. What is left
/// is the cost of the engine itself. It uses the public API alone, so that the same measurement compiles
/// against any version.
public final class ScriptedPlayback {
    private let driver: ManualDriver
    private var player: Player?
    private let layer: PlayerLayer
    private let sink = NullVideoSink()
    private let frameCount: Int

    /// Ready at the first frame, paused. `isRealTime`: with the rules of the machine's clock, though time
    /// passes only when nothing is left to do.
    public init(frameCount: Int, isRealTime: Bool) {
        self.frameCount = frameCount
        driver = ManualDriver(isRealTime: isRealTime)
        let player = Player(
            configuration: Script.configuration(
                .driver(driver),
                Script.media(frameCount),
                clock: driver.clock
            )
        )
        self.player = player
        layer = PlayerLayer(player: player)
        layer.add(sink)
        player.replaceCurrentItem(with: Script.item(of: player))
        driver.settle()
    }

    /// Work that is left queued would hold everything.
    deinit {
        layer.player = nil
        player = nil
        driver.settle()
    }

    /// Plays to the end. False: a frame was lost. `Benchmarks/cost/cost.py` counts the instructions of this
    /// function and finds it by its name.
    @inline(never)
    public func play() -> Bool {
        player?.play()
        driver.run(atMost: 1_000_000)
        return sink.frameCount == frameCount
    }
}

/// What is played.
enum Script {
    static func media(_ frameCount: Int, frameRate: Int32 = 25) -> ScriptedMedia {
        ScriptedMedia(
            video: .init(frameCount: frameCount, frameRate: frameRate, keyInterval: 50, bFrames: 2),
            audio: .init(sampleCount: frameCount * 48_000 / Int(frameRate))
        )
    }

    static func configuration(
        _ mode: ClockMode,
        _ media: ScriptedMedia,
        clock: any HostClock
    ) -> Player.Configuration {
        var configuration = Player.Configuration()
        configuration.clock = mode
        configuration.audio = .sink(NullAudioSink())
        configuration.backend = ScriptedBackend(media, clock: clock)
        return configuration
    }

    static func item(of player: Player) -> PlayerItem {
        PlayerItem(asset: Asset(url: path, backend: player.configuration.backend))
    }

    private static let path = URL(fileURLWithPath: "/script")
}
