import Foundation
import Playhead
import PlayheadTesting
import Testing

@Suite("Metadata output")
struct MetadataTests {
    private static func chapter(_ title: String?, _ start: Int64, _ end: Int64) -> Chapter {
        Chapter(title: title, timeRange: MediaTimeRange(start: .ms(start), end: .ms(end)))
    }

    private func makeBench() -> PlayerTestBench<Player> {
        var media = ScriptedMedia.clip()
        media.chapters = [
            Self.chapter("Start", 0, 700), Self.chapter(nil, 700, 1500), Self.chapter("End", 1500, 2000),
        ]
        return PlayerTestBench(media)
    }

    /// The notices of an output, on the thread of the test.
    private func watch(_ output: MetadataOutput) -> Locked<[String]> {
        let lines = Locked([String]())
        output.setHandler { notice in
            switch notice {
            case .sequenceWasFlushed: lines.withLock { $0.append("flushed") }
            case .groups(let groups, let time):
                let words = groups.map { group in
                    group.items.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
                        + " to \((group.timeRange.end.nanoseconds ?? 0) / 1_000_000)"
                }
                let place = (time.nanoseconds ?? 0) / 1_000_000
                lines.withLock { $0.append("\(place): " + words.joined(separator: ", ")) }
            }
        }
        return lines
    }

    @Test("Chapters are delivered when they begin, ahead by the interval, and after a seek the present one")
    func chapters() {
        let bench = makeBench()
        let item = bench.makeItem()
        let (output, early) = (
            MetadataOutput(), MetadataOutput(identifiers: ["title"], advanceInterval: .ms(200))
        )
        let (lines, titles) = (watch(output), watch(early))
        item.add(output)
        item.add(early)
        bench.player.replaceCurrentItem(with: item)
        bench.player.play()
        bench.driver.run(until: HostTime(nanoseconds: 800_000_000))
        item.seek(to: .ms(1000), toleranceBefore: .zero, toleranceAfter: .zero)
        bench.driver.run(atMost: 60)
        #expect(
            lines.withLock { $0 } == [
                "0: chapter=1 title=Start to 700", "700: chapter=2 to 1500", "flushed",
                "1000: chapter=2 to 1500",
                "1500: chapter=3 title=End to 2000",
            ]
        )
        #expect(
            titles.withLock { $0 } == ["0: title=Start to 700", "flushed", "1300: title=End to 2000"]
        )
        #expect(bench.videoSink.numbers.suffix(25) == Array(25..<50)[...])
        #expect(
            bench.audioSink.samples.suffix(10) == (95_990..<96_000).map { Int16(truncatingIfNeeded: $0) }[...]
        )
    }

    @Test(
        "An output that is added during playback starts there, and metadata is read only for outputs"
    )
    func later() {
        let bench = makeBench()
        let item = bench.makeItem()
        bench.player.replaceCurrentItem(with: item)
        bench.player.play()
        bench.driver.run(until: HostTime(nanoseconds: 900_000_000))
        let output = MetadataOutput()
        let lines = watch(output)
        item.add(output)
        bench.driver.run(atMost: 60)
        #expect(lines.withLock { $0 } == ["900: chapter=2 to 1500", "1500: chapter=3 title=End to 2000"])
        #expect(output.itemTime(forHostTime: bench.driver.now) == .ms(2000))
        #expect(item.tracks.map(\.isEnabled) == [true, true])
    }
}
