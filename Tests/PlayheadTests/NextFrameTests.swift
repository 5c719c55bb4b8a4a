import Playhead
import PlayheadTesting
import Testing

@Suite("The time at which the next frame is due")
struct NextFrameTests {
    @Test("It is that of the frame that follows, and is not reached after the last frame")
    func forward() throws {
        let bench = PlayerTestBench()
        let item = bench.load(ScriptedMedia(video: .init(frameCount: 3, frameRate: 1)))
        bench.player.play()
        for second: Int64 in [1, 2] {
            bench.driver.run(until: .ms(second * 1000 - 500))
            #expect(item.nextFrameTime == .ms(second * 1000))
        }
        bench.driver.run(until: .ms(2500))
        let next = try #require(item.nextFrameTime)
        #expect(next > .ms(3000))
        bench.player.replaceCurrentItem(with: nil)
        bench.driver.settle()
        #expect(item.nextFrameTime == nil)
    }
}
