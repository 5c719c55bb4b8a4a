import Foundation
import Playhead
import PlayheadTesting
import TestSupport
import Testing

// Tests several readers of one source: the end of one reader's wait does not affect the others.
// Rule: interrupted-reads
/// Several readers of one source: what ends one reader's wait leaves the others alone.
@Suite("Contract: readers that share a source", .enabled(if: Fixture.areThere, "make fixtures"))
struct SharedReadTests {
    private static let clip = InterruptedReadTests.clip

    private static func generator(_ scene: HangScene) -> ImageGenerator {
        let generator = ImageGenerator(asset: scene.asset)
        generator.requestedTimeToleranceBefore = .zero
        generator.requestedTimeToleranceAfter = .zero
        return generator
    }

    @Test("A hanging image request is cancelled, and the same reader answers the next one")
    func images() async throws {
        let reference = try await HangScene.reference(Self.clip)
        try await HangScene.play(Self.clip) { scene in
            let generator = Self.generator(scene)
            let first = try await within("the first image") {
                try? await generator.image(at: .zero).actualTime
            }
            #expect(first == .zero)
            scene.hold(HangScene.middle)
            let hanging = Task { try? await generator.image(at: .ms(1700)).actualTime }
            try await scene.untilReadHangs()
            let next = Task { try? await generator.image(at: .ms(2345)).actualTime }
            hanging.cancel()
            #expect(try await within("the call-off") { await hanging.value } == nil)
            let time = try await within("the next image") { await next.value }
            #expect(time == reference.due(at: 2345)?.time)
            #expect(scene.source.counts.readers == 1)
            #expect(scene.source.counts.cancels == 0)
        }
    }

    @Test("An image request waits for bytes that arrive later, and gets its frame")
    func imagesWait() async throws {
        let reference = try await HangScene.reference(Self.clip)
        try await HangScene.play(Self.clip, .throwsNotReady) { scene in
            scene.hold(HangScene.middle)
            let generator = Self.generator(scene)
            let waiting = Task { try? await generator.image(at: .ms(1700)).actualTime }
            try await scene.untilReadHangs()
            scene.source.release()
            let time = try await within("the image") { await waiting.value }
            #expect(time == reference.due(at: 1700)?.time)
        }
    }

    @Test(
        "With a player and images hanging at the same bytes, a seek frees only the player, and the image follows"
    )
    func imageBesidePlayer() async throws {
        let reference = try await HangScene.reference(Self.clip)
        try await HangScene.play(Self.clip) { scene in
            try await scene.load()
            scene.hold(HangScene.middle)
            let generator = Self.generator(scene)
            let image = Task { try? await generator.image(at: .ms(1700)).actualTime }
            try await scene.untilReadHangs()
            scene.player.play()
            try await scene.untilReadHangs(after: 1)
            let seek = try await scene.reachEnd { scene.beginSeek(to: 2100) }
            #expect(try await scene.answer(of: seek))
            // How much was played before depends on the speed of the machine; what is withheld begins before 2 s.
            #expect(Array(scene.takeFrames().drop { $0.time < .ms(2000) }) == reference.from(2100))
            #expect(scene.source.counts.interrupts == 1)
            scene.source.release()
            let time = try await within("the image") { await image.value }
            #expect(time == reference.due(at: 1700)?.time)
            #expect(scene.source.counts.cancels == 0)
        }
    }

    @Test("With two players hanging at the same bytes, one is shut down and the other continues")
    func twoPlayers() async throws {
        let reference = try await HangScene.reference(Self.clip)
        try await HangScene.play(Self.clip) { scene in
            let other = Player(configuration: scene.player.configuration)
            try await scene.load()
            scene.hold(HangScene.middle)
            scene.player.play()
            try await scene.untilReadHangs()
            other.replaceCurrentItem(with: PlayerItem(asset: scene.asset))
            other.play()
            try await scene.untilReadHangs(after: 1)
            try await within("the other's shutdown") { await other.shutdown() }
            try await scene.until("the other's read's end") { $0.interrupts == 1 }
            scene.source.release()
            try await scene.playToEnd()
            #expect(scene.takeFrames() == reference)
            #expect(scene.source.counts.cancels == 0)
        }
    }
}
