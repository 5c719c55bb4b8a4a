import Foundation
import Playhead
import PlayheadTesting
import Testing

@Suite("Video output of an item")
struct VideoOutputTests {
    private func number(_ frame: VideoFrame?) -> Int? { frame?.scriptedNumber }

    @Test("The output returns the frame that is due, new once for each output, and none after a seek")
    func asking() {
        let bench = PlayerTestBench()
        let item = bench.makeItem()
        let (first, second) = (VideoOutput(), VideoOutput())
        item.add(first)
        item.add(first)
        item.add(second)
        #expect(item.outputs.count == 2)
        #expect(first.copyFrame(forItemTime: .zero) == nil)
        #expect(!first.hasNewFrame(forItemTime: .zero))
        bench.player.replaceCurrentItem(with: item)
        bench.player.play()
        bench.driver.run(until: HostTime(nanoseconds: 500_000_000))
        let now = item.currentTime()
        #expect(now == .ms(500))
        #expect(first.hasNewFrame(forItemTime: now))
        let copied = first.copyFrame(forItemTime: now)
        #expect(number(copied?.frame) == 12)
        #expect(copied?.displayTime == .ms(480))
        #expect(!first.hasNewFrame(forItemTime: now))
        #expect(second.hasNewFrame(forItemTime: now))
        // Slightly late, the previous frame is still available.
        #expect(number(first.copyFrame(forItemTime: .ms(470))?.frame) == 11)
        item.seek(to: .ms(100), toleranceBefore: .zero, toleranceAfter: .zero)
        bench.driver.run(until: HostTime(nanoseconds: 500_000_001))
        #expect(number(first.copyFrame(forItemTime: .ms(100))?.frame) == 2)
        #expect(second.copyFrame(forItemTime: .ms(79)) == nil)
        for time in [MediaTime.invalid, .indefinite, .negativeInfinity] {
            #expect(!second.hasNewFrame(forItemTime: time) && second.copyFrame(forItemTime: time) == nil)
        }
        #expect(number(first.copyFrame(forItemTime: .positiveInfinity)?.frame) == 2)
        item.remove(first)
        bench.driver.run(atMost: 60)
        #expect(number(first.copyFrame(forItemTime: .ms(2000)).map(\.frame)) == 2)
        #expect(number(second.copyFrame(forItemTime: .ms(2000)).map(\.frame)) == 49)
    }

    @Test("The sequence of frames contains every frame of its item and no others")
    func sequence() async {
        let bench = PlayerTestBench()
        let (item, other) = (bench.makeItem(), bench.makeItem())
        let output = VideoOutput()
        item.add(output)
        var frames = output.frames.makeAsyncIterator()
        bench.player.replaceCurrentItem(with: item)
        bench.player.play()
        var seen: [Int?] = []
        for count in 1...5 {
            bench.driver.run(until: HostTime(nanoseconds: Int64(count) * 40_000_000 - 1))
            // The test waits only for frames that are known to exist.
            guard number(output.copyFrame(forItemTime: .ms(2000))?.frame) == count - 1 else { break }
            seen.append(number(await frames.next()))
        }
        #expect(seen == [0, 1, 2, 3, 4])
        bench.player.replaceCurrentItem(with: other)
        bench.driver.run(atMost: 60)
        #expect(number(output.copyFrame(forItemTime: .ms(2000))?.frame) == 4)
    }
}
