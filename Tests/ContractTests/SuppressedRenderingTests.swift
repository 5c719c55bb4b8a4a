import Playhead
import PlayheadTesting
import Testing

// Rule: suppressed-rendering
@Suite("Contract: outputs that suppress rendering in layers")
struct SuppressedRenderingTests {
    private func playing(_ output: VideoOutput) -> (PlayerTestBench<Player>, PlayerItem) {
        let bench = PlayerTestBench(.clip())
        let item = bench.makeItem()
        item.add(output)
        bench.load(item)
        bench.player.play()
        return (bench, item)
    }

    private func number(_ output: VideoOutput) -> Int? {
        output.copyFrame(forItemTime: .ms(9000))?.frame.scriptedNumber
    }

    @Test("From the start the output gets each frame and the layers none, and everything else works as usual")
    func fromTheStart() {
        let output = VideoOutput()
        #expect(!output.suppressesPlayerRendering)
        output.suppressesPlayerRendering = true
        #expect(output.suppressesPlayerRendering)
        let (bench, item) = playing(output)
        let pulled = PlayerVideoOutput()
        bench.player.videoOutput = pulled
        bench.driver.run(until: .ms(500))
        #expect(bench.videoSink.numbers.isEmpty)
        #expect(!bench.layer.isReadyForDisplay)
        #expect(number(output) == 12 && pulled.newest?.frame.scriptedNumber == 12)
        #expect(item.presentationSize == PixelSize(width: 16, height: 8))
        let late = CapturingVideoSink(clock: bench.driver.clock)
        let layer = PlayerLayer(player: bench.player)
        layer.add(late)
        bench.seek("sought", to: .ms(1000))
        bench.driver.run(until: .ms(1000))
        #expect(bench.takeLines(of: "sought", "readyForDisplay", "stalled") == ["sought true"])
        #expect(number(output) == 37)
        #expect(bench.videoSink.numbers.isEmpty && late.numbers.isEmpty)
        bench.driver.run(seconds: 5)
        #expect(bench.takeLines(of: "end") == ["end"])
        #expect(bench.audioSink.samples.last == Int16(truncatingIfNeeded: 95_999))
    }

    @Test(
        "A change during playback hides all further frames until it is reset or the output is removed",
        arguments: [true, false]
    )
    func whilePlaying(isRemoved: Bool) {
        let output = VideoOutput()
        let (bench, item) = playing(output)
        bench.driver.run(until: .ms(410))
        #expect(bench.videoSink.numbers == Array(0...10))
        _ = bench.takeLines()
        output.suppressesPlayerRendering = true
        bench.driver.run(until: .ms(810))
        #expect(bench.videoSink.numbers == Array(0...10))
        #expect(number(output) == 20)
        #expect(bench.takeLines(of: "readyForDisplay") == ["readyForDisplay false"])
        #expect(bench.videoSink.calls.last == .flush)
        if isRemoved { item.remove(output) } else { output.suppressesPlayerRendering = false }
        bench.driver.settle()
        #expect(bench.videoSink.numbers == Array(0...10) + [20])
        #expect(bench.takeLines(of: "readyForDisplay") == ["readyForDisplay true"])
        bench.driver.run(until: .ms(1210))
        #expect(bench.videoSink.numbers == Array(0...10) + Array(20...30))
        #expect(number(output) == (isRemoved ? 20 : 30))
    }

    @Test("A change while paused applies as well, and one of two outputs suffices")
    func paused() {
        let (bench, item) = playing(VideoOutput())
        bench.player.pause()
        bench.driver.settle()
        let (first, second) = (VideoOutput(), VideoOutput())
        first.suppressesPlayerRendering = true
        second.suppressesPlayerRendering = true
        item.add(first)
        item.add(second)
        bench.driver.settle()
        #expect(!bench.layer.isReadyForDisplay)
        bench.seek("sought", to: .ms(1000))
        bench.driver.settle()
        #expect(bench.videoSink.numbers == [0] && number(first) == 25)
        item.remove(first)
        bench.driver.settle()
        #expect(bench.videoSink.numbers == [0])
        second.suppressesPlayerRendering = false
        bench.driver.settle()
        #expect(bench.videoSink.numbers == [0, 25])
        #expect(bench.layer.isReadyForDisplay)
    }

    @Test(
        "The setting affects its item only: previous and next items of a queue are shown",
        arguments: [nil, 1, 2] as [UInt64?]
    )
    func queue(seed: UInt64?) {
        let bench = PlayerTestBench(queue: 3, of: .clip(), seed: seed)
        let output = VideoOutput()
        output.suppressesPlayerRendering = true
        bench.items[1].add(output)
        bench.player.play()
        bench.driver.run(until: .ms(2500))
        #expect(bench.player.currentItem === bench.items[1])
        #expect(!bench.layer.isReadyForDisplay)
        bench.driver.run(until: .ms(4500))
        #expect(bench.player.currentItem === bench.items[2])
        #expect(bench.layer.isReadyForDisplay)
        bench.driver.run(seconds: 5)
        #expect(bench.videoSink.numbers == Array(0..<50) + Array(0..<50))
        #expect(number(output) == 49)
    }

    private final class Always: PlayerItemOutput {
        private let state = Locked(0)
        var item: PlayerItem? {
            get { nil }
            set {}
        }
        var suppressesPlayerRendering: Bool { true }
        var count: Int { state.withLock { $0 } }
        func receive(_ frame: VideoFrame) { state.withLock { $0 += 1 } }
    }

    private final class Plain: PlayerItemOutput {
        var item: PlayerItem? {
            get { nil }
            set {}
        }
    }

    @Test("Outputs of subtitles and metadata hide no frames, and a custom output decides for itself")
    func kinds() {
        let (bench, item) = playing(VideoOutput())
        let (subtitles, metadata) = (LegibleOutput(), MetadataOutput())
        #expect(!subtitles.suppressesPlayerRendering && !metadata.suppressesPlayerRendering)
        subtitles.suppressesPlayerRendering = true
        #expect(subtitles.suppressesPlayerRendering)
        for output in [subtitles, metadata, Plain()] as [any PlayerItemOutput] { item.add(output) }
        bench.driver.run(until: .ms(210))
        #expect(bench.videoSink.numbers == Array(0...5))
        let own = Always()
        item.add(own)
        bench.driver.run(until: .ms(410))
        #expect(bench.videoSink.numbers == Array(0...5))
        #expect(own.count == 6)
    }
}
