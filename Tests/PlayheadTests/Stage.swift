import Foundation
import Playhead
import PlayheadTesting

/// A player over a script, on a driver that the test moves, with a layer and captured sound.
struct Theatre {
    let driver: ManualDriver
    let player: Player
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
        player = Player(configuration: configuration)
        sink = CapturingVideoSink(clock: driver.clock)
        layer = PlayerLayer(player: player)
        layer.add(sink)
    }

    static let clip = ScriptedMedia(
        video: .init(frameCount: 50, frameRate: 25, keyInterval: 10, bFrames: 2),
        audio: .init(sampleCount: 96_000)
    )

    func makeItem() -> PlayerItem {
        PlayerItem(asset: Asset(url: URL(fileURLWithPath: "/script"), backend: backend))
    }
}

extension MediaTime {
    static func ms(_ value: Int64) -> MediaTime { MediaTime(value: value, timescale: 1000) }
}
