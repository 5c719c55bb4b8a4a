import Foundation
import Playhead
import PlayheadTesting
import Testing

/// Records the numbers of the frames that it receives.
private final class CountingOutput: PlayerItemOutput {
    private struct State {
        var numbers: [Int?] = []
        weak var item: PlayerItem?
    }
    private let state = Locked(State())
    var numbers: [Int?] { state.withLock { $0.numbers } }
    var item: PlayerItem? {
        get { state.withLock { $0.item } }
        set { state.withLock { $0.item = newValue } }
    }

    func receive(_ frame: VideoFrame) { state.withLock { $0.numbers.append(frame.scriptedNumber) } }
}

/// The subtitles that an output delivered, in order.
private final class DeliveredText: Sendable {
    private let reported = Locked([String]())
    var lines: [String] { reported.withLock { $0 } }

    func add(_ line: String) { reported.withLock { $0.append(line) } }

    func note(_ notice: LegibleOutput.Notice) {
        switch notice {
        case .sequenceWasFlushed: add("flushed")
        case .lost(let count): add("lost \(count)")
        case .cues(let cues, _): for cue in cues { add(cue.text) }
        case .cuesEnded(let cues, _): for cue in cues { add("ended: \(cue.text)") }
        }
    }

    func note(_ notice: MetadataOutput.Notice) {
        switch notice {
        case .sequenceWasFlushed: add("flushed")
        case .groups(let groups, _):
            for group in groups { add(group.items.map(\.value).joined(separator: " ")) }
        }
    }
}

// Rule: late-sinks
@Suite("Outputs that are added late, on the manual driver")
struct LateOutputTests {
    @Test("An output that is added while paused gets the visible frame once, and then those that follow")
    func paused() {
        let bench = PlayerTestBench(.silentClip())
        let item = bench.load()
        bench.seek("sought", to: .ms(400))
        bench.driver.settle()
        let (asked, pushed) = (VideoOutput(), CountingOutput())
        item.add(asked)
        item.add(pushed)
        item.add(pushed)
        bench.driver.settle()
        #expect(asked.hasNewFrame(forItemTime: item.currentTime()))
        #expect(asked.copyFrame(forItemTime: item.currentTime())?.frame.scriptedNumber == 10)
        #expect(pushed.numbers == [10])
        bench.player.play()
        bench.driver.run(seconds: 0.1)
        #expect(pushed.numbers == [10, 11, 12])
        bench.player.pause()
        bench.driver.settle()
        item.remove(pushed)
        item.add(pushed)
        bench.driver.settle()
        #expect(pushed.numbers == [10, 11, 12, 12])
    }

    enum Before: CaseIterable, Sendable { case loaded, prerolled, stepped, paused, playedBackward, inQueue }

    @Test("Each kind of output gets the visible frame, whatever was done before", arguments: Before.allCases)
    func before(_ before: Before) throws {
        let bench = PlayerTestBench(queue: 2, of: .silentClip())
        bench.driver.settle()
        var item = try #require(bench.player.currentItem)
        switch before {
        case .loaded: break
        case .prerolled: bench.player.preroll(atRate: 1) { _ in }
        case .stepped: item.step(byCount: 3)
        case .paused:
            bench.player.play()
            bench.driver.run(seconds: 0.5)
            bench.player.pause()
        case .playedBackward:
            item.seek(to: .ms(1000), toleranceBefore: .zero, toleranceAfter: .zero)
            bench.driver.settle()
            bench.player.rate = -1
            bench.driver.run(seconds: 0.5)
            bench.player.pause()
        case .inQueue:
            bench.player.play()
            bench.driver.run(seconds: 2.5)
            bench.player.pause()
            item = try #require(bench.player.currentItem)
        }
        bench.driver.settle()
        let shown = try #require(bench.videoSink.numbers.last)
        let (asked, ofPlayer) = (VideoOutput(), PlayerVideoOutput())
        let sink = CapturingVideoSink(clock: bench.driver.clock)
        let layer = PlayerLayer(player: bench.player)
        item.add(asked)
        bench.player.videoOutput = ofPlayer
        layer.add(sink)
        bench.driver.settle()
        #expect(asked.copyFrame(forItemTime: item.currentTime())?.frame.scriptedNumber == shown)
        #expect(ofPlayer.newest?.frame.scriptedNumber == shown)
        #expect(ofPlayer.newest?.item === item)
        #expect(sink.numbers == [shown])
        layer.player = nil
    }

    @Test("An output that is added during a seek or during playback gets each frame once", arguments: 0..<8)
    func once(seed: UInt64) {
        let bench = PlayerTestBench(.silentClip(), seed: seed)
        let item = bench.load()
        let (seeking, playing) = (CountingOutput(), CountingOutput())
        bench.seek("sought", to: .ms(400))
        item.add(seeking)
        bench.driver.settle()
        #expect(seeking.numbers == [10] || seeking.numbers == [0, 10])
        bench.player.play()
        bench.driver.run(seconds: 0.1)
        item.add(playing)
        bench.driver.run(seconds: 0.1)
        #expect(playing.numbers.first == 12)
        #expect(Set(playing.numbers).count == playing.numbers.count)
    }

    @Test("An output that is added before any frame is shown gets the first one, and none of another item")
    func nothingShown() {
        let bench = PlayerTestBench(.silentClip())
        let (item, other) = (bench.makeItem(), bench.makeItem())
        let (before, opening, elsewhere) = (CountingOutput(), CountingOutput(), CountingOutput())
        item.add(before)
        bench.player.replaceCurrentItem(with: item)
        item.add(opening)
        other.add(elsewhere)
        bench.driver.settle()
        #expect(before.numbers == [0])
        #expect(opening.numbers == [0])
        #expect(elsewhere.numbers.isEmpty)
        bench.player.replaceCurrentItem(with: other)
        let late = CountingOutput()
        item.add(late)
        bench.driver.settle()
        #expect(late.numbers.isEmpty)
        #expect(elsewhere.numbers == [0])
    }

    @Test("At the end, outputs of the item and of the player, a layer and a sink get the last frame")
    func atTheEnd() {
        let bench = PlayerTestBench(.silentClip())
        let item = bench.load()
        bench.player.play()
        bench.driver.run(seconds: 5)
        let (output, ofPlayer) = (VideoOutput(), PlayerVideoOutput())
        let (sink, other) = (
            CapturingVideoSink(clock: bench.driver.clock), CapturingVideoSink(clock: bench.driver.clock)
        )
        item.add(output)
        bench.player.videoOutput = ofPlayer
        bench.layer.add(sink)
        let layer = PlayerLayer(player: bench.player)
        layer.add(other)
        bench.driver.settle()
        #expect(output.copyFrame(forItemTime: item.currentTime())?.frame.scriptedNumber == 49)
        let sample = ofPlayer.sample(forHostTime: bench.driver.clock.now)
        #expect(sample?.frame.scriptedNumber == 49)
        #expect(sample?.item === item)
        #expect(sample?.presentationTime == .ms(1960))
        #expect(sink.numbers == [49])
        #expect(other.numbers == [49])
        // Adding the same sink again changes nothing, and another sink gets the frame as well.
        let second = PlayerVideoOutput()
        bench.player.videoOutput = second
        bench.driver.settle()
        #expect(second.newest?.frame.scriptedNumber == 49)
        bench.player.replaceCurrentItem(with: nil)
        bench.player.videoOutput = ofPlayer
        bench.driver.settle()
        #expect(ofPlayer.newest == nil)
        layer.player = nil
    }

    @Test(
        "Due subtitles are delivered to an output that is added while paused, and again when it is added again"
    )
    func subtitles() {
        var media = ScriptedMedia.silentClip()
        media.cues = [.init("one", from: 0, to: 900), .init("two", from: 1000, to: 1900)]
        let bench = PlayerTestBench(media)
        let item = bench.makeItem()
        item.selectTrack(ScriptedMedia.subtitleTrack, ofType: .subtitle)
        bench.load(item)
        bench.seek("sought", to: .ms(1200))
        bench.driver.run(seconds: 0.1)
        let (output, delivered) = (LegibleOutput(), DeliveredText())
        output.setHandler { delivered.note($0) }
        item.add(output)
        bench.driver.run(seconds: 0.1)
        #expect(delivered.lines == ["two"])
        #expect(output.cues(forItemTime: item.currentTime()).map(\.text) == ["two"])
        item.remove(output)
        item.add(output)
        bench.driver.run(seconds: 0.1)
        #expect(delivered.lines == ["two", "two"])
    }

    @Test("Due metadata is delivered once to each output that is added while paused")
    func metadata() {
        var media = ScriptedMedia.silentClip()
        let range = MediaTimeRange(start: .zero, duration: .ms(1500))
        media.chapters = [Chapter(title: "Start", timeRange: range)]
        let bench = PlayerTestBench(media)
        let item = bench.load()
        let outputs = [MetadataOutput(identifiers: ["title"]), MetadataOutput(identifiers: ["title"])]
        let delivered = [DeliveredText(), DeliveredText()]
        for (output, delivered) in zip(outputs, delivered) {
            output.setHandler { delivered.note($0) }
            item.add(output)
            bench.driver.run(seconds: 0.1)
        }
        #expect(delivered.map(\.lines) == [["Start"], ["Start"]])
        for output in outputs { item.remove(output) }
        item.add(outputs[0])
        bench.driver.run(seconds: 0.1)
        #expect(delivered[0].lines.filter { $0 == "Start" }.count == 2)
    }
}
