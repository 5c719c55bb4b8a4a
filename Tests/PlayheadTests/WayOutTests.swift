import Foundation
import PlaybackEngine
import Playhead
import PlayheadTesting
import Testing

/// Every way out of an item cancels what was begun for it, at once, whatever stage it is in.
@Suite("Every way out of an item cancels it")
struct WayOutTests {
    enum WayOut: CaseIterable {
        case replace, takeOff, remove, advance, otherPlayer
    }

    private static let media = ScriptedMedia(
        video: .init(frameCount: 50, frameRate: 25, keyInterval: 10, bFrames: 2),
        audio: .init(sampleCount: 96_000)
    )

    @Test("After any number of steps", arguments: WayOut.allCases)
    func anyStage(wayOut: WayOut) {
        for steps in 0..<60 {
            let driver = ManualDriver(seed: UInt64(steps))
            let (backend, elsewhere) = (
                CountingBackend(Self.media, driver.clock), CountingBackend(Self.media, driver.clock)
            )
            func makeItem() -> PlayerItem {
                PlayerItem(asset: Asset(url: URL(fileURLWithPath: "/script"), backend: backend))
            }
            let first = makeItem()
            let player = QueuePlayer(items: [first], configuration: Self.configuration(driver, backend))
            let other = Player(configuration: Self.configuration(driver, elsewhere))
            if wayOut == .advance { player.insert(makeItem(), after: nil) }
            player.play()
            for _ in 0..<steps { driver.step() }
            switch wayOut {
            case .replace: player.replaceCurrentItem(with: makeItem())
            case .takeOff: player.replaceCurrentItem(with: nil)
            case .remove: player.remove(first)
            case .advance: player.advanceToNextItem()
            case .otherPlayer: other.replaceCurrentItem(with: first)
            }
            driver.settle()
            let open = backend.counts.opened - backend.counts.cancelled
            #expect(open <= player.items().count, "\(wayOut) after \(steps) steps")
            player.removeAllItems()
            other.replaceCurrentItem(with: nil)
            driver.settle()
            for counts in [backend.counts, elsewhere.counts] { #expect(counts.cancelled == counts.opened) }
        }
    }

    private static func configuration(
        _ driver: ManualDriver,
        _ backend: CountingBackend
    ) -> Player.Configuration {
        var configuration = Player.Configuration()
        configuration.clock = .driver(driver)
        configuration.audio = .sink(CapturingAudioSink())
        configuration.backend = backend
        return configuration
    }
}
