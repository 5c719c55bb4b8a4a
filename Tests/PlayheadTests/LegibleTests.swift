import Foundation
import Playhead
import PlayheadTesting
import TestSupport
import Testing

@Suite("Subtitle output")
struct LegibleTests {
    /// Two seconds of video and audio, with subtitles in two languages.
    static let clip = ScriptedMedia(
        video: .init(frameCount: 50, frameRate: 25, keyInterval: 10, bFrames: 2),
        audio: .init(sampleCount: 96_000),
        cues: [
            .init("one", from: 100, to: 500), .init("two", from: 600, to: 900),
            .init("still two", from: 700, to: 1500), .init("last", from: 1800, to: nil),
            .init("eins", from: 200, to: 550, track: 3), .init("zwei", from: 650, to: 1950, track: 3),
        ]
    )

    /// The notices of an output as lines.
    private final class Listener: Sendable {
        let output: LegibleOutput
        private let lines = Locked([String]())
        private let queue = DispatchQueue(label: "words")

        init(advance: MediaTime = .zero, reportsEnds: Bool = false) {
            output = LegibleOutput(advanceInterval: advance, reportsEnds: reportsEnds)
            output.setHandler(queue: queue) { [lines] notice in
                lines.withLock { $0.append(Self.line(notice)) }
            }
        }

        /// Returns the lines since the last call.
        func delivered() -> [String] {
            queue.sync {
                lines.withLock { lines in
                    defer { lines = [] }
                    return lines
                }
            }
        }

        static func line(_ notice: LegibleOutput.Notice) -> String {
            switch notice {
            case .sequenceWasFlushed: return "flushed"
            case .lost(let count): return "lost \(count)"
            case .cues(let cues, let time):
                let words = cues.map { "\($0.text) \(span($0))" }.joined(separator: ", ")
                return "\((time.nanoseconds ?? 0) / 1_000_000): \(words)"
            case .cuesEnded(let cues, let time):
                let words = cues.map(\.text).joined(separator: ", ")
                return "\((time.nanoseconds ?? 0) / 1_000_000): end of \(words)"
            }
        }

        private static func span(_ cue: TextCue) -> String {
            let start = (cue.timeRange.start.nanoseconds ?? 0) / 1_000_000
            return "\(start)-\(cue.timeRange.end.nanoseconds.map { String($0 / 1_000_000) } ?? "")"
        }
    }

    private func makeBench(
        _ media: ScriptedMedia = clip,
        advance: MediaTime = .zero,
        reportsEnds: Bool = false
    ) -> (PlayerTestBench<Player>, PlayerItem, Listener) {
        let bench = PlayerTestBench(media)
        let item = bench.makeItem()
        let listener = Listener(advance: advance, reportsEnds: reportsEnds)
        item.add(listener.output)
        return (bench, item, listener)
    }

    /// What a reader of the notices has read, in lines, and "end".
    private final class Reader: Sendable {
        let lines = Locked([String]())
        let task: Task<Void, Never>

        init(_ notices: AsyncStream<LegibleOutput.Notice>) {
            task = Task { [lines] in
                for await notice in notices {
                    let line = Listener.line(notice)
                    lines.withLock { $0.append(line) }
                }
                lines.withLock { $0.append("end") }
            }
        }
    }

    @Test(
        "The stream of notices ends with the item: at its end, a failure, a replacement, and with its removal"
    )
    func ends() async {
        for way in 0..<5 {
            let media = way == 1 ? ScriptedMedia.silentClip([.lost(fromPacket: 20)]) : .silentClip()
            let (bench, item, listener) = makeBench(media)
            // Without subtitles nothing is delivered, and still the stream ends.
            let reader = Reader(listener.output.notices)
            bench.load(item)
            bench.player.play()
            bench.driver.run(seconds: 0.5)
            switch way {
            case 2: bench.player.replaceCurrentItem(with: bench.makeItem())
            case 3: bench.player.replaceCurrentItem(with: nil)
            case 4: item.remove(listener.output)
            default: break
            }
            bench.driver.run(seconds: 5)
            await reader.task.value
            #expect(reader.lines.withLock { $0 }.last == "end")
        }
    }

    @Test(
        "A loop does not end the stream, and a stream that begins after the end delivers what is played again"
    )
    func endsOnce() async {
        let (bench, item, listener) = makeBench()
        item.selectTrack(ScriptedMedia.subtitleTrack, ofType: .subtitle)
        bench.player.repeatMode = .loop
        let first = Reader(listener.output.notices)
        bench.player.replaceCurrentItem(with: item)
        bench.player.play()
        bench.driver.run(seconds: 5)
        bench.player.repeatMode = .once
        bench.driver.run(seconds: 5)
        await first.task.value
        let lines = first.lines.withLock { $0 }
        #expect(lines.filter { $0.contains("last") }.count == 3 && lines.last == "end")
        let second = Reader(listener.output.notices)
        item.seek(to: .ms(1700), toleranceBefore: .zero, toleranceAfter: .zero) { _ in }
        bench.player.play()
        bench.driver.run(seconds: 5)
        await second.task.value
        #expect(second.lines.withLock { $0 }.contains { $0.contains("last") })
    }

    @Test("The stream of an interstitial ends with it, also if the interrupted item loops")
    func endsWithInterstitial() async {
        let bench = PlayerTestBench(queue: 1, of: Self.clip)
        let item = bench.makeItem()
        let output = LegibleOutput()
        item.add(output)
        let reader = Reader(output.notices)
        bench.player.repeatMode = .loop
        bench.player.play()
        bench.driver.run(seconds: 0.5)
        bench.player.playInterstitial(item)
        bench.driver.run(seconds: 3)
        #expect(bench.player.currentItem === bench.items[0])
        await reader.task.value
        #expect(reader.lines.withLock { $0 }.last == "end")
    }

    @Test("A reader that falls behind is told how many notices it has lost")
    func lost() async {
        var media = ScriptedMedia.silentClip()
        media.cues = (0..<400).map { .init("\($0)", from: Int64($0) * 4, to: Int64($0) * 4 + 3) }
        let (bench, item, listener) = makeBench(media)
        item.selectTrack(ScriptedMedia.subtitleTrack, ofType: .subtitle)
        let notices = listener.output.notices
        bench.player.replaceCurrentItem(with: item)
        bench.player.play()
        bench.driver.run(seconds: 5)
        var lines: [String] = []
        for await notice in notices { lines.append(Listener.line(notice)) }
        let total = listener.delivered().count
        #expect(total > 256 && lines.count == 257)
        #expect(lines.first == "lost \(total - 256)")
        #expect(lines.last?.contains("399") == true)
    }

    @Test("Each cue is delivered when it is due, with its end, and does not affect video and audio")
    func due() {
        let (bench, item, listener) = makeBench()
        item.selectTrack(ScriptedMedia.subtitleTrack, ofType: .subtitle)
        bench.player.replaceCurrentItem(with: item)
        bench.player.play()
        bench.driver.run(until: .ms(650))
        #expect(listener.output.cues(forItemTime: .ms(650)).map(\.text) == ["two"])
        #expect(listener.output.cues(forItemTime: .ms(550)).isEmpty)
        bench.driver.run(atMost: 60)
        #expect(
            listener.delivered() == [
                "100: one 100-500", "600: two 600-900", "700: still two 700-1500", "1800: last 1800-",
            ]
        )
        #expect(bench.videoSink.numbers == Array(0..<50))
        #expect(bench.audioSink.samples.count == 96_000)
        #expect(bench.driver.now == .ms(2000))
        #expect(item.tracks.filter(\.isEnabled).map(\.assetTrack.id) == [0, 1, 2])
    }

    @Test("Cues are delivered ahead by the interval of each output")
    func advance() {
        let (bench, item, listener) = makeBench(advance: .ms(250))
        let plain = Listener()
        item.add(plain.output)
        item.selectTrack(ScriptedMedia.subtitleTrack, ofType: .subtitle)
        bench.player.replaceCurrentItem(with: item)
        bench.player.rate = 2
        bench.driver.run(atMost: 60)
        #expect(
            listener.delivered() == [
                "0: one 100-500", "350: two 600-900", "450: still two 700-1500", "1550: last 1800-",
            ]
        )
        #expect(plain.delivered().first == "100: one 100-500")
    }

    @Test("A cue without an end is due until the next one begins, which is delivered before")
    func openCue() {
        let media = ScriptedMedia(
            video: .init(frameCount: 500, frameRate: 25),
            cues: [.init("open", from: 0, to: nil), .init("next", from: 15_000, to: 16_000)]
        )
        let (bench, item, listener) = makeBench(media, advance: .ms(2000))
        item.selectTrack(ScriptedMedia.subtitleTrack, ofType: .subtitle)
        bench.player.replaceCurrentItem(with: item)
        bench.player.play()
        bench.driver.run(until: .ms(14_000))
        #expect(listener.delivered() == ["0: open 0-", "13000: next 15000-16000"])
        #expect(listener.output.cues(forItemTime: .ms(14_000)).map(\.text) == ["open"])
        #expect(listener.output.cues(forItemTime: .ms(15_000)).map(\.text) == ["next"])
    }

    @Test(
        "A seek flushes the output and delivers the cues that are due at its target, including earlier ones"
    )
    func seeks() {
        let (bench, item, listener) = makeBench()
        item.selectTrack(ScriptedMedia.subtitleTrack, ofType: .subtitle)
        bench.player.replaceCurrentItem(with: item)
        bench.player.play()
        bench.driver.run(until: .ms(300))
        item.seek(to: .ms(1400), toleranceBefore: .zero, toleranceAfter: .zero)
        bench.driver.run(until: .ms(350))
        item.seek(to: .ms(800), toleranceBefore: .zero, toleranceAfter: .zero)
        bench.driver.run(until: .ms(400))
        #expect(
            listener.delivered() == [
                "100: one 100-500", "flushed", "1400: still two 700-1500", "flushed",
                "800: two 600-900, still two 700-1500",
            ]
        )
    }

    @Test("Ends are reported as early as starts, and also backward and after a seek")
    func cueEnds() {
        let (bench, item, listener) = makeBench(reportsEnds: true)
        item.selectTrack(ScriptedMedia.subtitleTrack, ofType: .subtitle)
        let early = Listener(advance: .ms(200), reportsEnds: true)
        item.add(early.output)
        bench.player.replaceCurrentItem(with: item)
        bench.player.play()
        bench.driver.run(atMost: 60)
        #expect(
            listener.delivered() == [
                "100: one 100-500", "500: end of one", "600: two 600-900", "700: still two 700-1500",
                "900: end of two", "1500: end of still two", "1800: last 1800-",
            ]
        )
        #expect(
            early.delivered() == [
                "0: one 100-500", "300: end of one", "400: two 600-900", "500: still two 700-1500",
                "700: end of two", "1300: end of still two", "1600: last 1800-",
            ]
        )
        // A cue that ends within the interval after a seek is delivered, and its end at once.
        item.seek(to: .ms(400), toleranceBefore: .zero, toleranceAfter: .zero)
        bench.driver.run(seconds: 0)
        #expect(listener.delivered() == ["flushed", "400: one 100-500"])
        let lines = early.delivered()
        #expect(lines.prefix(2) == ["flushed", "400: one 100-500, two 600-900"])
        #expect(lines.dropFirst(2).allSatisfy { $0 == "400: end of one" })
        item.seek(to: .ms(1000), toleranceBefore: .zero, toleranceAfter: .zero)
        bench.driver.run(seconds: 0)
        _ = listener.delivered()
        early.output.advanceInterval = .zero
        bench.player.rate = -1
        bench.driver.run(atMost: 60)
        let reverse = [
            "flushed", "1000: still two 700-1500", "899: two 600-900", "699: end of still two",
            "599: end of two", "499: one 100-500", "99: end of one",
        ]
        #expect(listener.delivered() == reverse)
    }

    @Test("Each pass of a loop, and backward playback, delivers its cues")
    func passes() {
        let (bench, item, listener) = makeBench()
        item.selectTrack(3, ofType: .subtitle)
        bench.player.repeatMode = .loop
        bench.player.replaceCurrentItem(with: item)
        bench.player.play()
        bench.driver.run(until: .ms(2900))
        let two = ["200: eins 200-550", "650: zwei 650-1950"]
        #expect(listener.delivered() == two + ["flushed"] + two)
        bench.player.repeatMode = .once
        bench.player.rate = -1
        bench.driver.run(atMost: 60)
        #expect(
            listener.delivered() == ["flushed", "900: zwei 650-1950", "549: eins 200-550"]
        )
    }

    @Test("Selecting another subtitle track during playback loses neither frame nor sample")
    func switching() throws {
        let (bench, item, listener) = makeBench()
        bench.player.replaceCurrentItem(with: item)
        bench.player.play()
        bench.driver.run(until: .ms(250))
        let group = try #require(item.asset.mediaSelectionGroup(for: .legible))
        #expect(group.options.count == 2 && item.selectedMediaOption(in: group) == nil)
        item.select(group.options[0], in: group)
        bench.driver.run(until: .ms(400))
        item.select(group.options(withLanguage: "de").first, in: group)
        bench.driver.run(until: .ms(700))
        #expect(item.tracks.filter(\.isEnabled).map(\.assetTrack.id) == [0, 1, 3])
        item.select(nil, in: group)
        bench.driver.run(atMost: 60)
        #expect(
            listener.delivered() == [
                "250: one 100-500", "flushed", "400: eins 200-550", "650: zwei 650-1950", "flushed",
            ]
        )
        #expect(bench.videoSink.numbers == Array(0..<50))
        for case .present(let number, _, _, let host) in bench.videoSink.calls {
            #expect(host == Int64(number) * 40_000_000)
        }
        #expect(bench.audioSink.samples == (0..<96_000).map { Int16(truncatingIfNeeded: $0) })
        #expect(item.tracks.filter(\.isEnabled).map(\.assetTrack.id) == [0, 1])
    }

    @Test("Sparse, late, missing and damaged subtitles delay neither the start nor the end")
    func sparse() {
        var media = Self.clip
        media.cues = [.init("far away", from: 1_800_000, to: nil)]
        let (bench, item, _) = makeBench(media)
        item.selectTrack(ScriptedMedia.subtitleTrack, ofType: .subtitle)
        bench.player.replaceCurrentItem(with: item)
        bench.player.play()
        bench.driver.run(atMost: 60)
        #expect(bench.driver.now == .ms(2000) && bench.videoSink.numbers.count == 50)
        // A missing track is reported, and playback continues without it.
        let other = bench.makeItem()
        other.selectTrack(77, ofType: .subtitle)
        bench.player.replaceCurrentItem(with: other)
        bench.player.play()
        bench.driver.run(atMost: 60)
        #expect(bench.driver.now == .ms(4000) && bench.videoSink.numbers.count == 100)
        #expect(other.errorLog().events.contains { $0.error.message.contains("no subtitle track 77") })
    }

    @Test("External subtitles are delivered on the item's timeline")
    func sidecar() {
        let (bench, item, listener) = makeBench(ScriptedMedia.clip())
        let words = ScriptedBackend(
            ScriptedMedia(cues: [.init("beside", from: 500, to: 800)]),
            driver: bench.driver
        )
        item.legibleAsset = words.makeAsset()
        bench.player.replaceCurrentItem(with: item)
        bench.player.play()
        bench.driver.run(atMost: 60)
        #expect(listener.delivered() == ["500: beside 500-800"])
    }

    @Test(
        "Video, audio and the end never wait for an external file that hangs, cannot be opened or breaks off",
        arguments: [
            [.hang(atPacket: 1)], [.openFails(.notFound)], [.lost(fromPacket: 1)], [.unreadable(packet: 1)],
            [.stall(atPacket: 1, until: 1.2)],
        ] as [[ScriptedMedia.Fault]]
    )
    func brokenBeside(faults: [ScriptedMedia.Fault]) {
        let (bench, item, listener) = makeBench(ScriptedMedia.clip())
        let words = ScriptedBackend(
            ScriptedMedia(
                cues: [.init("one", from: 100, to: 300), .init("two", from: 500, to: 1500)],
                faults: faults
            ),
            driver: bench.driver
        )
        item.legibleAsset = words.makeAsset()
        bench.player.replaceCurrentItem(with: item)
        bench.player.play()
        bench.driver.run(seconds: 3)
        #expect(bench.player.currentTime() == .ms(2000) && bench.player.rate == 0)
        for case .present(let number, _, _, let host) in bench.videoSink.calls {
            #expect(host == Int64(number) * 40_000_000)
        }
        #expect(bench.videoSink.numbers == Array(0..<50))
        #expect(bench.audioSink.samples == (0..<96_000).map { Int16(truncatingIfNeeded: $0) })
        #expect(bench.takeLines(of: "stalled", "failed", "end") == ["end"])
        let delivered = listener.delivered()
        if case .openFails? = faults.first {
            #expect(delivered.isEmpty)
        } else {
            #expect(delivered.first == "100: one 100-300")
        }
        // A late cue is delivered late.
        if case .stall? = faults.first { #expect(delivered.last == "1200: two 500-1500") }
    }

    @Test("An error in an external subtitle file names that file, and not the film")
    func missingSubtitleFile() throws {
        let (bench, item, _) = makeBench(ScriptedMedia.clip())
        let path = "/nowhere/film.srt"
        item.legibleAsset = Asset(
            url: URL(fileURLWithPath: path),
            backend: Player.Configuration().backend
        )
        bench.player.replaceCurrentItem(with: item)
        bench.player.play()
        bench.driver.run(atMost: 60)
        let entry = try #require(item.errorLog().events.first)
        #expect(item.errorLog().events.count == 1)
        #expect(entry.error.code == .notFound)
        #expect(entry.error.url == URL(fileURLWithPath: path))
        #expect(entry.error.message.hasPrefix("\(path): "))
        #expect(entry.isRecovered && item.status == .readyToPlay)
        #expect(bench.videoSink.numbers.count == 50)
    }

    @Test(
        "The text of WebVTT cues is plain, and their settings are as written",
        .enabled(if: Fixture.areThere)
    )
    func webVTT() throws {
        let folder = try TemporaryFolder()
        let text = """
            WEBVTT

            NOTE nobody sees this

            1
            00:00:00.200 --> 00:00:01.000 line:0 position:20%,line-left align:start
            <v Ann>Some <c.red>red</c> &amp; <i>slanted</i> words
            in two lines

            00:00:01.500 --> 00:00:02.000
            <b>plain</b> &lt;too&gt;

            """
        try folder.write("words.vtt", Data(text.utf8))
        let bench = PlayerTestBench { $0.backend = Player.Configuration().backend }
        let item = PlayerItem(url: Fixture.url("clip-h264-aac.mp4"))
        item.legibleAsset = Asset(url: folder.file("words.vtt"))
        let output = LegibleOutput()
        item.add(output)
        bench.load(item)
        bench.player.play()
        bench.driver.run(seconds: 0.5)
        let first = try #require(output.cues(forItemTime: .ms(500)).first)
        #expect(first.text == "Some red & slanted words\nin two lines")
        #expect(first.settings == "line:0 position:20%,line-left align:start")
        #expect(first.timeRange == MediaTimeRange(start: .ms(200), end: .ms(1000)))
        bench.driver.run(seconds: 1.2)
        let second = try #require(output.cues(forItemTime: .ms(1700)).first)
        #expect(second.text == "plain <too>" && second.settings == nil)
    }

    @Test("The sequence of notices contains the same, and ends with its output")
    func sequence() async {
        let (bench, item, listener) = makeBench()
        var output: LegibleOutput? = LegibleOutput()
        let notices = output?.notices
        if let output { item.add(output) }
        item.selectTrack(3, ofType: .subtitle)
        bench.player.replaceCurrentItem(with: item)
        bench.player.play()
        bench.driver.run(atMost: 60)
        if let output { item.remove(output) }
        output = nil
        var lines: [String] = []
        if let notices { for await notice in notices { lines.append(Listener.line(notice)) } }
        #expect(lines == listener.delivered() && lines.count == 2)
    }
}
