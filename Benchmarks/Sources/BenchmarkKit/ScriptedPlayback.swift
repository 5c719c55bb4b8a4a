internal import Foundation
internal import Playhead
internal import PlayheadTesting

/// A player of a script instead of a file, with one layer and an audio sink that discard their input. The
/// remaining cost is that of the engine. It uses only the public API, so that the same measurement compiles
/// against any version.
public final class ScriptedPlayback {
    private let driver: ManualDriver
    private var player: Player?
    private let layer: PlayerLayer
    private let sink = NullVideoSink()
    private let frameCount: Int

    /// Creates a player that is paused at the first frame. With `isRealTime` the rules of the machine's clock
    /// apply, but time advances only when no work is pending.
    public init(frameCount: Int, isRealTime: Bool) {
        self.frameCount = frameCount
        driver = ManualDriver(isRealTime: isRealTime)
        let player = Player(
            configuration: Script.configuration(
                .driver(driver),
                Script.media(frameCount),
                driver: driver
            )
        )
        self.player = player
        layer = PlayerLayer(player: player)
        layer.add(sink)
        player.replaceCurrentItem(with: Script.item(of: player))
        driver.settle()
    }

    /// Runs the pending work, because queued work would keep all objects alive.
    deinit {
        layer.player = nil
        player = nil
        driver.settle()
    }

    /// Plays to the end. Returns false if a frame was lost. `Benchmarks/cost/cost.py` counts the instructions
    /// of this function and finds it by its name.
    @inline(never)
    public func play() -> Bool {
        player?.play()
        driver.run(atMost: 1_000_000)
        return sink.frameCount == frameCount
    }
}

/// The script that is played.
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
        driver: ManualDriver
    ) -> Player.Configuration {
        var configuration = Player.Configuration()
        configuration.clock = mode
        configuration.audio = .sink(NullAudioSink())
        configuration.backend = ScriptedBackend(media, driver: driver)
        return configuration
    }

    static func item(of player: Player) -> PlayerItem {
        PlayerItem(asset: Asset(url: path, backend: player.configuration.backend))
    }

    private static let path = URL(fileURLWithPath: "/script")
}
