import Foundation
import Playhead
import PlayheadTesting
import Testing

@Suite("Changing tracks and end times during playback")
struct SelectionTests {
    private func playing() -> (PlayerTestBench<Player>, PlayerItem) {
        let bench = PlayerTestBench()
        let item = bench.makeItem()
        bench.player.replaceCurrentItem(with: item)
        bench.player.play()
        bench.driver.run(until: HostTime(nanoseconds: 500_000_000))
        return (bench, item)
    }

    @Test("While audio is disabled, every frame is shown when it is due, and only that audio is missing")
    func soundOffAndOn() throws {
        let (bench, item) = playing()
        let group = try #require(item.asset.mediaSelectionGroup(for: .audible))
        #expect(item.selectedMediaOption(in: group)?.track.id == ScriptedMedia.audioTrack)
        item.select(nil, in: group)
        #expect(item.selectedMediaOption(in: group) == nil)
        bench.driver.run(until: HostTime(nanoseconds: 1_000_000_000))
        #expect(item.tracks.map(\.isEnabled) == [true, false])
        let heard = bench.audioSink.samples.count
        #expect(heard < 48_000)
        item.selectMediaOptionAutomatically(in: group)
        bench.driver.run(atMost: 60)
        #expect(item.tracks.map(\.isEnabled) == [true, true])
        #expect(bench.videoSink.numbers == Array(0..<50))
        for case .present(let number, _, _, let host) in bench.videoSink.calls {
            #expect(host == Int64(number) * 40_000_000)
        }
        let rest = bench.audioSink.samples[heard...]
        #expect(!rest.isEmpty)
        #expect(Array(rest) == ((96_000 - rest.count)..<96_000).map { Int16(truncatingIfNeeded: $0) })
    }

    @Test(
        "Repeated selections, selections of the present track, and selections during a seek work",
        arguments: 0..<5
    )
    func atOddMoments(seed: Int) throws {
        let bench = PlayerTestBench(seed: UInt64(seed))
        let item = bench.makeItem()
        let changeCount = Locked(0)
        let token = bench.player.onEvent { timed in
            if case .mediaSelectionChanged = timed.event { changeCount.withLock { $0 += 1 } }
        }
        item.disableTracks(ofType: .audio)
        bench.player.replaceCurrentItem(with: item)
        item.selectTrack(ScriptedMedia.audioTrack, ofType: .audio)
        bench.player.play()
        bench.driver.run(until: HostTime(nanoseconds: 300_000_000))
        item.seek(to: .ms(1000), toleranceBefore: .zero, toleranceAfter: .zero)
        item.disableTracks(ofType: .audio)
        item.selectTrack(ScriptedMedia.audioTrack, ofType: .audio)
        bench.driver.run(atMost: 60)
        #expect(Array(bench.videoSink.numbers.suffix(25)) == Array(25..<50))
        #expect(item.tracks.map(\.isEnabled) == [true, true])
        #expect(changeCount.withLock { $0 } >= 1)
        #expect(bench.player.timeControlStatus == .paused)
        token.invalidate()
    }

    @Test("If a loop restarts before the new track is ready, the track takes over in the next pass")
    func loop() {
        let bench = PlayerTestBench()
        let item = bench.makeItem()
        bench.player.repeatMode = .loop
        bench.player.replaceCurrentItem(with: item)
        bench.player.play()
        bench.driver.run(until: HostTime(nanoseconds: 1_900_000_000))
        item.disableTracks(ofType: .audio)
        bench.driver.run(until: HostTime(nanoseconds: 5_990_000_000))
        #expect(bench.videoSink.numbers == (0..<3).flatMap { _ in 0..<50 })
        #expect(bench.audioSink.samples.count >= 96_000 && bench.audioSink.samples.count < 130_000)
        #expect(item.tracks.map(\.isEnabled) == [true, false])
    }
}
