import Foundation
import Playhead
import PlayheadTesting

/// A player over a script, on a driver that the test moves, with a layer and captured sound.
final class Theatre {
    let driver: ManualDriver
    private var held: [Player]
    var player: Player { held[0] }
    let layer: PlayerLayer
    let sink: CapturingVideoSink
    let sound = CapturingAudioSink()
    let backend: ScriptedBackend

    init(_ media: ScriptedMedia = Theatre.clip, seed: UInt64? = nil) {
        driver = ManualDriver(seed: seed)
        backend = ScriptedBackend(media, clock: driver.clock)
        var configuration = Player.Configuration()
        configuration.clock = .driver(driver)
        configuration.audio = .sink(sound)
        configuration.backend = backend
        let player = Player(configuration: configuration)
        held = [player]
        sink = CapturingVideoSink(clock: driver.clock)
        layer = PlayerLayer(player: player)
        layer.add(sink)
    }

    /// The driver is stepped until the player is taken down: work that is left queued would hold everything.
    deinit {
        layer.player = nil
        held = []
        driver.settle()
    }

    static let clip = ScriptedMedia(
        video: .init(frameCount: 50, frameRate: 25, keyInterval: 10, bFrames: 2),
        audio: .init(sampleCount: 96_000)
    )

    func makeItem() -> PlayerItem { Self.makeItem(backend) }

    static func makeItem(_ backend: ScriptedBackend) -> PlayerItem {
        PlayerItem(asset: Asset(url: URL(fileURLWithPath: "/script"), backend: backend))
    }
}

/// A player with a queue, one layer and captured sound, on a driver that the test moves.
final class QueueTheatre {
    let driver = ManualDriver()
    private var held: [QueuePlayer]
    var player: QueuePlayer { held[0] }
    let items: [PlayerItem]
    let layer: PlayerLayer
    let sink: CapturingVideoSink
    let sound = CapturingAudioSink()
    private let backend: ScriptedBackend

    init(items count: Int) {
        let backend = ScriptedBackend(Theatre.clip, clock: driver.clock)
        self.backend = backend
        var configuration = Player.Configuration()
        configuration.clock = .driver(driver)
        configuration.audio = .sink(sound)
        configuration.backend = backend
        items = (0..<count).map { _ in Theatre.makeItem(backend) }
        let player = QueuePlayer(items: items, configuration: configuration)
        held = [player]
        sink = CapturingVideoSink(clock: driver.clock)
        layer = PlayerLayer(player: player)
        layer.add(sink)
    }

    deinit {
        layer.player = nil
        held = []
        driver.settle()
    }

    func makeItem() -> PlayerItem { Theatre.makeItem(backend) }
}

extension MediaTime {
    static func ms(_ value: Int64) -> MediaTime { MediaTime(value: value, timescale: 1000) }
}
