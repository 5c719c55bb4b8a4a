import Foundation
import Playhead
import PlayheadTesting
import TestSupport
import Testing

@Suite(
    "Contract: dates of playlists, and playlists without an end",
    .enabled(if: Fixture.areThere, "make fixtures")
)
struct DateTests {
    /// The date 2026-11-21 12:00 UTC.
    private static let noon = 1_795_262_400.0

    /// Two segments begin at half past twelve plus half a second, and the third one an hour after noon.
    private func dated() throws -> Playlists {
        let playlists = try Playlists()
        let text = """
            #EXTM3U
            #EXT-X-TARGETDURATION:1
            #EXT-X-PROGRAM-DATE-TIME:2026-11-21T12:30:00.500Z
            #EXTINF:1.000000,
            0.ts
            #EXTINF:1.000000,
            1.ts
            #EXT-X-DISCONTINUITY
            #EXTINF:1.000000,
            #EXT-X-PROGRAM-DATE-TIME:2026-11-21T14:00:00+0100
            2.ts
            #EXT-X-ENDLIST
            """
        try playlists.write("mid/dated.m3u8", Data(text.utf8))
        let master = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=300000\nmid/dated.m3u8\n"
        try playlists.write("dated.m3u8", Data(master.utf8))
        return playlists
    }

    private func date(_ seconds: Double) -> Date { Date(timeIntervalSince1970: Self.noon + seconds) }

    /// Returns a date in whole microseconds, because the floating-point value of a date is not exact beyond that.
    private func microseconds(_ date: Date?) -> Double? {
        date.map { ($0.timeIntervalSince1970 * 1_000_000).rounded() }
    }

    @Test(
        "The current date follows the time, segment by segment",
        arguments: ["mid/dated.m3u8", "dated.m3u8"]
    )
    func current(name: String) throws {
        let playlists = try dated()
        let bench = PlayerTestBench.forFiles()
        let early = PlayerItem(url: playlists.url(name))
        #expect(early.currentDate() == nil)
        let item = bench.load(playlists.url(name))
        #expect(item.currentDate() == date(1800.5))
        for (time, seconds) in [(1250, 1801.75), (1999, 1802.499), (2000, 3600), (2750, 3600.75)]
            as [(Int64, Double)]
        {
            item.seek(to: .ms(time), toleranceBefore: .zero, toleranceAfter: .zero)
            #expect(microseconds(item.currentDate()) == microseconds(date(seconds)))
        }
        item.seek(to: .zero, toleranceBefore: .zero, toleranceAfter: .zero)
        bench.player.play()
        bench.driver.run(seconds: 1.5)
        #expect(item.currentDate() == date(1802))
    }

    @Test("A seek to a date goes to its time; a date outside all segments returns false and moves nothing")
    func seek() throws {
        let playlists = try dated()
        let bench = PlayerTestBench.forFiles()
        #expect(!bench.player.seek(to: date(3600)))
        let early = PlayerItem(url: playlists.url("dated.m3u8"))
        #expect(!early.seek(to: date(3600)))
        let item = bench.load(playlists.url("dated.m3u8"))
        let answers = Locked([String]())
        func seek(_ name: String, _ seconds: Double) -> Bool {
            bench.player.seek(to: date(seconds), toleranceBefore: .zero, toleranceAfter: .zero) { finished in
                answers.withLock { $0.append("\(name) \(finished)") }
            }
        }
        #expect(seek("second", 1801.6))
        #expect(item.currentTime() == .ms(1100))
        bench.driver.settle()
        #expect(seek("third", 3600.5))
        bench.driver.settle()
        #expect(item.currentTime() == .ms(2500))
        let shown = try #require(bench.videoSink.frames.last).time
        #expect(shown <= .ms(2500) && shown > .ms(2466))
        // The dates are before the first segment, in the gap, and after the last segment.
        for seconds in [1800.4, 1802.5, 3599, 3601.1, -1e9, .infinity] { #expect(!seek("none", seconds)) }
        bench.driver.settle()
        #expect(item.currentTime() == .ms(2500))
        #expect(answers.withLock { $0 }.filter { $0 != "none false" } == ["second true", "third true"])
        #expect(answers.withLock { $0 }.count == 8)
        #expect(seek("last", 3601))
        #expect(item.currentTime() == .ms(3000))
    }

    @Test("An asynchronous seek to a date returns whether the date exists")
    func awaited() async throws {
        let playlists = try dated()
        var configuration = Player.Configuration()
        configuration.clock = .virtual
        configuration.audio = .none
        let player = Player(configuration: configuration)
        let item = PlayerItem(url: playlists.url("dated.m3u8"))
        let changes = player.events
        player.replaceCurrentItem(with: item)
        try await within("the item") {
            for await event in changes { if case .itemStatusChanged(_, .readyToPlay) = event { return } }
        }
        let (first, last) = (date(1801.6), date(3600.5))
        try await within("the seeks") {
            #expect(await player.seek(to: first))
            #expect(await item.seek(to: last, toleranceBefore: .zero, toleranceAfter: .zero))
            #expect(await !player.seek(to: .distantPast))
        }
        #expect(item.currentTime() == .ms(2500))
        await player.shutdown()
    }

    @Test("An item without dates reports none")
    func undated() throws {
        let playlists = try Playlists()
        for url in [playlists.master, Fixture.url("clip-h264-aac.mp4")] {
            let bench = PlayerTestBench.forFiles()
            let item = bench.load(url)
            #expect(item.status == .readyToPlay)
            #expect(item.currentDate() == nil)
            #expect(!item.seek(to: date(0)))
        }
    }

    @Test("A playlist without an end tag plays from its start to its last segment, and is not live")
    func withoutEnd() throws {
        let playlists = try Playlists()
        var segments = (0..<3).map { "#EXTINF:1.000000,\n\($0).ts" }
        let head = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:0\n"
        try playlists.write("mid/open.m3u8", Data((head + segments.joined(separator: "\n")).utf8))
        let bench = PlayerTestBench.forFiles()
        let item = bench.load(playlists.url("mid/open.m3u8")) { item in
            item.configuredTimeOffsetFromLive = .ms(1000)
            item.automaticallyPreservesTimeOffsetFromLive = true
        }
        #expect(item.duration == .ms(3000))
        #expect(item.seekableTimeRanges == [MediaTimeRange(start: .zero, duration: .ms(3000))])
        // The playlist grows meanwhile, which affects only later openings.
        segments.append("#EXTINF:1.000000,\n0.ts")
        try playlists.write("mid/open.m3u8", Data((head + segments.joined(separator: "\n")).utf8))
        bench.player.play()
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.frames.count == 90)
        #expect(bench.player.timeControlStatus == .paused)
        // The item is as long as with an end tag: the audio of the last segment is a little longer than declared.
        let whole = PlayerTestBench.forFiles()
        let closed = whole.load(playlists.url("mid/list.m3u8"))
        whole.player.play()
        whole.driver.run(atMost: 60)
        #expect(item.currentTime() == closed.currentTime() && item.currentTime() >= .ms(3000))
        #expect(
            bench.videoSink.frames == whole.videoSink.frames
                && bench.audioSink.frameCount == whole.audioSink.frameCount
        )
        #expect(item.recommendedTimeOffsetFromLive == .invalid)
        let copy = item.makeCopy()
        #expect(copy.configuredTimeOffsetFromLive == .ms(1000))
        #expect(copy.automaticallyPreservesTimeOffsetFromLive)
        let other = PlayerItem(url: playlists.master)
        #expect(other.configuredTimeOffsetFromLive == .invalid)
        #expect(!other.automaticallyPreservesTimeOffsetFromLive)
    }

    @Test("The duration that a playlist declares is not an estimate, however few bytes have been read")
    func hours() async throws {
        let playlists = try Playlists()
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:4000\n#EXTINF:4000,\n0.ts\n#EXT-X-ENDLIST\n"
        try playlists.write("mid/long.m3u8", Data(text.utf8))
        let asset = Asset(url: playlists.url("mid/long.m3u8"))
        try await asset.load()
        #expect(asset.duration == .ms(4_000_000))
        #expect(asset.media?.durationIsEstimate == false)
        #expect(asset.media?.byteCount == Int64(text.utf8.count))
    }
}
