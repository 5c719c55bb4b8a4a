import Foundation
import Playhead
import PlayheadTesting
import Testing

// Rule: variant-switch
/// Tests an item that is reopened during playback with late data: the old tracks play until the new ones are available.
@Suite("Contract: tracks that take over late")
struct SwitchPointTests {
    private static let url = URL(fileURLWithPath: "/film")

    private func media(isLocal: Bool, lateUntil seconds: Double? = nil) -> ScriptedMedia {
        var media = ScriptedMedia(
            video: .init(frameCount: 200, bFrames: 2),
            audio: .init(sampleCount: 384_000)
        )
        media.isLocal = isLocal
        if let seconds { media.faults = (0..<700).map { .stall(atPacket: $0, until: seconds) } }
        return media
    }

    /// Switches the audio off after half a second, when no newly opened data can be read before `seconds`.
    private func switching(isLocal: Bool, lateUntil seconds: Double) -> PlayerTestBench<Player> {
        let bench = PlayerTestBench(scripts: [Self.url: media(isLocal: isLocal)])
        let item = bench.load(at: Self.url)
        bench.player.play()
        bench.driver.run(until: HostTime(nanoseconds: 500_000_000))
        bench.backend[Self.url] = media(isLocal: isLocal, lateUntil: seconds)
        item.disableTracks(ofType: .audio)
        return bench
    }

    @Test(
        "During playback each frame is shown once, when it is due, and the clock does not stop",
        arguments: [(true, 1.2), (true, 2.5), (false, 2.2), (false, 4.1)]
    )
    func playing(_ isLocal: Bool, _ seconds: Double) {
        let bench = switching(isLocal: isLocal, lateUntil: seconds)
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == Array(0..<200))
        let due = (0..<200).map { HostTime(nanoseconds: $0 * 40_000_000) }
        #expect(bench.videoSink.frames.map(\.hostTime) == due)
        #expect(bench.takeLines(of: "end") == ["end"])
        // The old audio track was heard until then.
        let heard = bench.audioSink.samples.count
        #expect(heard > Int(seconds * 48_000) && heard < 384_000)
        #expect(bench.player.currentItem?.tracks.map(\.isEnabled) == [true, false])
    }

    @Test("A pause before the switch shows no later frames", arguments: [true, false])
    func paused(_ isLocal: Bool) {
        let bench = switching(isLocal: isLocal, lateUntil: 0.7)
        bench.driver.run(until: HostTime(nanoseconds: 520_000_000))
        bench.player.pause()
        bench.driver.run(until: HostTime(nanoseconds: 3_000_000_000))
        #expect(bench.videoSink.numbers == Array(0...13))
        bench.player.play()
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == Array(0..<200))
    }

    @Test(
        "After a step past the switch point, the new tracks continue from there",
        arguments: [true, false]
    )
    func stepped(_ isLocal: Bool) {
        let bench = switching(isLocal: isLocal, lateUntil: 0.7)
        bench.driver.run(until: HostTime(nanoseconds: 520_000_000))
        bench.player.pause()
        bench.player.currentItem?.step(byCount: 60)
        bench.driver.run(until: HostTime(nanoseconds: 3_000_000_000))
        #expect(bench.videoSink.numbers == Array(0...13) + [73])
        bench.player.play()
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == Array(0...13) + Array(73..<200))
        #expect(bench.player.currentItem?.tracks.map(\.isEnabled) == [true, false])
    }
}
