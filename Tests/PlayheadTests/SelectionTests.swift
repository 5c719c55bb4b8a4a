import Foundation
import Playhead
import PlayheadTesting
import Testing

@Suite("Other tracks and other ends while playing, on the manual driver")
struct SelectionTests {
    private func playing() -> (Theatre, PlayerItem) {
        let theatre = Theatre()
        let item = theatre.makeItem()
        theatre.player.replaceCurrentItem(with: item)
        theatre.player.play()
        theatre.driver.run(until: HostTime(nanoseconds: 500_000_000))
        return (theatre, item)
    }

    @Test("Sound switched off and on again: every picture when it is due, and sound only in between missing")
    func soundOffAndOn() throws {
        let (theatre, item) = playing()
        let group = try #require(item.asset.mediaSelectionGroup(for: .audible))
        #expect(item.selectedMediaOption(in: group)?.track.id == ScriptedMedia.audioTrack)
        item.select(nil, in: group)
        #expect(item.selectedMediaOption(in: group) == nil)
        theatre.driver.run(until: HostTime(nanoseconds: 1_000_000_000))
        #expect(item.tracks.map(\.isEnabled) == [true, false])
        let heard = theatre.sound.samples.count
        #expect(heard < 48_000)
        item.selectMediaOptionAutomatically(in: group)
        theatre.driver.run(atMost: 60)
        #expect(item.tracks.map(\.isEnabled) == [true, true])
        #expect(theatre.sink.numbers == Array(0..<50))
        for case .present(let number, _, _, let host) in theatre.sink.calls {
            #expect(host == Int64(number) * 40_000_000)
        }
        let rest = theatre.sound.samples[heard...]
        #expect(!rest.isEmpty)
        #expect(Array(rest) == ((96_000 - rest.count)..<96_000).map { Int16(truncatingIfNeeded: $0) })
    }

    @Test("Selecting what is played already, twice at once, and in the middle of a seek", arguments: 0..<5)
    func atOddMoments(seed: Int) throws {
        let theatre = Theatre(seed: UInt64(seed))
        let item = theatre.makeItem()
        let told = Locked(0)
        let token = theatre.player.onEvent { timed in
            if case .mediaSelectionChanged = timed.event { told.withLock { $0 += 1 } }
        }
        item.disableTracks(ofType: .audio)
        theatre.player.replaceCurrentItem(with: item)
        item.selectTrack(ScriptedMedia.audioTrack, ofType: .audio)
        theatre.player.play()
        theatre.driver.run(until: HostTime(nanoseconds: 300_000_000))
        item.seek(to: .ms(1000), toleranceBefore: .zero, toleranceAfter: .zero)
        item.disableTracks(ofType: .audio)
        item.selectTrack(ScriptedMedia.audioTrack, ofType: .audio)
        theatre.driver.run(atMost: 60)
        #expect(Array(theatre.sink.numbers.suffix(25)) == Array(25..<50))
        #expect(item.tracks.map(\.isEnabled) == [true, true])
        #expect(told.withLock { $0 } >= 1)
        #expect(theatre.player.timeControlStatus == .paused)
        token.invalidate()
    }

    @Test("An end time that is set while playing ends it there; one that is passed ends it at once")
    func endTime() {
        let (theatre, item) = playing()
        item.forwardPlaybackEndTime = .ms(1200)
        theatre.driver.run(atMost: 60)
        #expect(theatre.sink.numbers == Array(0..<30))
        #expect(theatre.driver.now == HostTime(nanoseconds: 1_200_000_000))
        #expect(theatre.player.rate == 0)
        item.forwardPlaybackEndTime = .invalid
        item.seek(to: .ms(1160), toleranceBefore: .zero, toleranceAfter: .zero)
        theatre.player.play()
        theatre.driver.run(atMost: 60)
        #expect(Array(theatre.sink.numbers.suffix(21)) == Array(29..<50))
    }

    @Test("In a loop that comes round before the new track is there, it takes over in the next pass")
    func loop() {
        let theatre = Theatre()
        let item = theatre.makeItem()
        theatre.player.repeatMode = .loop
        theatre.player.replaceCurrentItem(with: item)
        theatre.player.play()
        theatre.driver.run(until: HostTime(nanoseconds: 1_900_000_000))
        item.disableTracks(ofType: .audio)
        theatre.driver.run(until: HostTime(nanoseconds: 5_990_000_000))
        #expect(theatre.sink.numbers == (0..<3).flatMap { _ in 0..<50 })
        #expect(theatre.sound.samples.count >= 96_000 && theatre.sound.samples.count < 130_000)
        #expect(item.tracks.map(\.isEnabled) == [true, false])
    }
}
