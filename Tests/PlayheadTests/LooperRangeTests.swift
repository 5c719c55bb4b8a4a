import Playhead
import PlayheadTesting
import Testing

// Rule: gapless
@Suite("Time ranges of a looper")
struct LooperRangeTests {
    /// The start, the duration, and the frames of one pass (of 50 frames in two seconds); nil if the looper fails.
    static let ranges: [(MediaTimeRange?, Range<Int>?)] = [
        (nil, 0..<50),
        (.invalid, 0..<50),
        (MediaTimeRange(start: .invalid, duration: .ms(400)), 0..<50),
        (MediaTimeRange(start: .ms(400), duration: .invalid), 0..<50),
        (MediaTimeRange(start: .zero, duration: .indefinite), 0..<50),
        (MediaTimeRange(start: .ms(1600), duration: .indefinite), 40..<50),
        (MediaTimeRange(start: .ms(1600), duration: .positiveInfinity), 40..<50),
        (MediaTimeRange(start: .ms(1600), duration: .ms(60_000)), 40..<50),
        (MediaTimeRange(start: .zero, duration: .ms(60_000)), 0..<50),
        (MediaTimeRange(start: .ms(-400), duration: .ms(800)), 0..<10),
        (MediaTimeRange(start: .negativeInfinity, duration: .positiveInfinity), 0..<50),
        (MediaTimeRange(start: .ms(200), duration: .ms(400)), 5..<15),
        (.zero, nil),
        (MediaTimeRange(start: .ms(200), duration: .zero), nil),
        (MediaTimeRange(start: .ms(400), duration: .ms(-200)), nil),
        (MediaTimeRange(start: .ms(-400), duration: .ms(200)), nil),
        (MediaTimeRange(start: .indefinite, duration: .ms(200)), nil),
        (MediaTimeRange(start: .indefinite, duration: .indefinite), nil),
        (MediaTimeRange(start: .positiveInfinity, duration: .ms(200)), nil),
        (MediaTimeRange(start: .ms(2000), duration: .ms(400)), nil),
        (MediaTimeRange(start: .ms(60_000), duration: .ms(400)), nil),
    ]

    @Test("A looper plays the range, or fails with a message", arguments: ranges.indices)
    func looped(index: Int) {
        let (range, lap) = Self.ranges[index]
        let bench = PlayerTestBench(queue: 0, of: .silentClip())
        let looper = PlayerLooper(player: bench.player, templateItem: bench.makeItem(), timeRange: range)
        // An empty range is known before the item is.
        if range?.duration == .zero { #expect(looper.status == .failed) }
        bench.player.play()
        bench.driver.run(seconds: 6)
        guard let lap else {
            #expect(looper.status == .failed)
            #expect(looper.error?.code == .invalidArgument)
            #expect(looper.error?.message.contains("the time range") == true)
            #expect(looper.loopCount == 0)
            #expect(bench.player.items().isEmpty)
            return
        }
        #expect(looper.status == .ready)
        #expect(looper.error == nil)
        let numbers = bench.videoSink.numbers
        #expect(numbers.count >= 3 * lap.count)
        #expect(numbers == numbers.indices.map { lap.lowerBound + $0 % lap.count })
    }
}
