import Playhead
import PlayheadTesting
import Testing

@Test func skipsTheIntro() {
    let bench = PlayerTestBench(.silentClip())
    let skipper = IntroSkipper(bench.player, intro: MediaTimeRange(start: .ms(400), end: .ms(1200)))
    bench.load()
    bench.player.play()
    bench.driver.run(seconds: 2)
    #expect(bench.videoSink.numbers == Array(0...10) + Array(30..<50))
    #expect(bench.takeLines(of: "jumped", "end") == ["jumped 1.2", "end"])
    withExtendedLifetime(skipper) {}
}

@Test func waitsForDataThatComesLate() {
    // The frames after the first second arrive at second 5.
    let bench = PlayerTestBench(.silentClip([.stall(atPacket: 25, until: 5)]))
    bench.load()
    bench.player.play()
    bench.driver.run(seconds: 3)
    #expect(bench.player.reasonForWaitingToPlay == .toMinimizeStalls)
    bench.driver.run(seconds: 4)
    #expect(bench.takeLines(of: "stalled", "end") == ["stalled", "end"])
}
