import Foundation
import Playhead
import PlayheadTesting
import Testing

@Suite("Video output of a player")
struct PlayerVideoOutputTests {
    private func number(_ sample: PlayerVideoOutput.Sample?) -> Int? {
        sample?.frame.scriptedNumber
    }

    @Test("The output returns the frame at a host time with its item and time, across items and seeks")
    func items() {
        let bench = PlayerTestBench(queue: 2)
        let output = PlayerVideoOutput()
        #expect(output.sample(forHostTime: .ms(0)) == nil)
        bench.player.videoOutput = output
        #expect(bench.player.videoOutput === output)
        bench.player.play()
        bench.driver.run(until: .ms(1990))
        #expect(number(output.sample(forHostTime: .ms(1990))) == 49)
        // Slightly late, earlier frames are still available. No future frame is returned.
        #expect(number(output.sample(forHostTime: .ms(1930))) == 48)
        #expect(output.sample(forHostTime: .ms(1000)) == nil)
        #expect(output.newest?.item === bench.items[0])
        bench.driver.run(until: .ms(2085))
        let sample = output.sample(forHostTime: .ms(2085))
        #expect(
            number(sample) == 2 && sample?.item === bench.items[1] && sample?.presentationTime == .ms(80)
        )
        #expect(output.sample(forHostTime: .ms(1970))?.item === bench.items[0])
        bench.player.seek(to: .ms(400), toleranceBefore: .zero, toleranceAfter: .zero)
        bench.driver.run(until: .ms(2090))
        #expect(number(output.newest) == 10)
    }

    @Test("Without an item there is no frame; an output of another player moves, and nil removes it")
    func moves() {
        let (first, second) = (PlayerTestBench(), PlayerTestBench())
        let output = PlayerVideoOutput()
        first.player.videoOutput = output
        first.player.replaceCurrentItem(with: first.makeItem())
        first.driver.settle()
        #expect(number(output.newest) == 0)
        first.player.replaceCurrentItem(with: nil)
        #expect(output.newest == nil)
        second.player.videoOutput = output
        #expect(first.player.videoOutput == nil)
        second.player.replaceCurrentItem(with: second.makeItem())
        second.driver.settle()
        #expect(number(output.newest) == 0)
        second.player.videoOutput = nil
        #expect(output.newest == nil)
        second.player.play()
        second.driver.run(atMost: 60)
        #expect(output.newest == nil)
    }
}
