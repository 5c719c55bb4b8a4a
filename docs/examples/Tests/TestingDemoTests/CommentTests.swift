import Playhead
import PlayheadTesting
import Testing

/// The example in the comment of `PlayerTestBench`.
@Test func showsTheFramesOfTheFirstSecond() {
    let bench = PlayerTestBench()
    bench.load()
    bench.player.play()
    bench.driver.run(seconds: 1)
    #expect(bench.videoSink.numbers == Array(0...25))
}
