import Foundation
import Playhead
import PlayheadTesting
import Testing

@Suite("Cached frames and loaded time ranges, on the manual driver")
struct CachedRangeTests {
    private static let all = [MediaTimeRange(start: .zero, duration: .ms(2000))]

    @Test(
        "A short item that is cached completely is loaded completely: during playback, at its end and after seeks"
    )
    func whole() {
        let bench = PlayerTestBench(.silentClip())
        let item = bench.load()
        bench.player.play()
        bench.driver.run(seconds: 1.5)
        #expect(item.loadedTimeRanges == Self.all)
        bench.driver.run(seconds: 3)
        #expect(bench.stateLine == "0.0 paused")
        #expect(item.loadedTimeRanges == Self.all)
        for target in [0, 700, 1990, 9000] as [Int64] {
            bench.seek("sought", to: .ms(target))
            bench.driver.settle()
            #expect(item.loadedTimeRanges == Self.all, "\(target)")
        }
    }

    @Test(
        "A seek outside the cache discards it, and the new range begins at the first cached key frame"
    )
    func seeks() throws {
        let bench = PlayerTestBench(.silentClip())
        let item = bench.load(ScriptedMedia(video: .init(frameCount: 2500, keyInterval: 10)))
        bench.seek("sought", to: .ms(50_100))
        bench.driver.settle()
        let landed = try #require(item.loadedTimeRanges.first)
        #expect(landed.start == .ms(50_000))
        #expect(landed.end >= .ms(51_000))
        bench.player.play()
        bench.driver.run(seconds: 1)
        let played = try #require(item.loadedTimeRanges.first)
        #expect(played.start == .ms(50_000))
        #expect(played.end >= .ms(51_900))
        bench.player.pause()
        bench.seek("back", to: .ms(50_000))
        bench.driver.settle()
        #expect(item.loadedTimeRanges.map(\.start) == [.ms(50_000)])
        #expect(item.loadedTimeRanges.first.map { $0.end >= played.end } == true)
    }

    @Test("Discarded frames leave the loaded time ranges, and the change is reported", arguments: [0, 2.0])
    func forgotten(_ back: Double) throws {
        let bench = PlayerTestBench(.silentClip()) { $0.buffering.local.backDuration = .seconds(back) }
        let item = bench.load(ScriptedMedia(video: .init(frameCount: 500, keyInterval: 10)))
        let starts = Locked([MediaTime]())
        let token = bench.player.onEvent { timed in
            guard case .loadedTimeRangesChanged(_, let ranges) = timed.event else { return }
            starts.withLock { $0 += ranges.map(\.start) }
        }
        bench.player.play()
        bench.driver.run(seconds: 10)
        let range = try #require(item.loadedTimeRanges.first)
        #expect(range.start <= .ms(10_000))
        #expect(range.start >= .ms(9000 - Int64(back * 1000)))
        #expect(range.end >= .ms(10_700))
        let reported = starts.withLock { $0 }
        #expect(reported == reported.sorted())
        #expect(reported.last == range.start)
        bench.driver.run(seconds: 20)
        let left = try #require(item.loadedTimeRanges.first)
        #expect(left.end == .ms(20_000))
        #expect(left.start > .ms(15_000))
        token.invalidate()
    }

    @Test("In a loop that is cached the whole item is loaded in each pass")
    func loops() {
        let bench = PlayerTestBench(.clip())
        bench.player.repeatMode = .loop
        let item = bench.load()
        bench.player.play()
        bench.driver.run(seconds: 1.9)
        #expect(item.loadedTimeRanges.first?.end == .ms(2000))
        for _ in 0..<30 {
            bench.driver.run(seconds: 0.17)
            #expect(item.loadedTimeRanges == Self.all)
        }
    }
}
