import Foundation
import Playhead
import PlayheadTesting
import Testing

@Suite("Words, on the manual driver")
struct LegibleTests {
    /// Two seconds of pictures and sound; words in two languages.
    static let clip = ScriptedMedia(
        video: .init(frameCount: 50, frameRate: 25, keyInterval: 10, bFrames: 2),
        audio: .init(sampleCount: 96_000),
        texts: [
            .init("one", from: 100, to: 500), .init("two", from: 600, to: 900),
            .init("still two", from: 700, to: 1500), .init("last", from: 1800, to: nil),
            .init("eins", from: 200, to: 550, track: 3), .init("zwei", from: 650, to: 1950, track: 3),
        ]
    )

    /// What an output hands out, in lines.
    private final class Listener: Sendable {
        let output: LegibleOutput
        private let lines = Locked([String]())
        private let queue = DispatchQueue(label: "words")

        init(advance: MediaTime = .zero) {
            output = LegibleOutput(advanceInterval: advance)
            output.setHandler(queue: queue) { [lines] notice in
                lines.withLock { $0.append(Self.line(notice)) }
            }
        }

        /// All that was handed out since the last call.
        func told() -> [String] {
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
            case .cues(let cues, let time):
                let words = cues.map { "\($0.text) \(span($0))" }.joined(separator: ", ")
                return "\((time.nanoseconds ?? 0) / 1_000_000): \(words)"
            }
        }

        private static func span(_ cue: TextCue) -> String {
            let start = (cue.timeRange.start.nanoseconds ?? 0) / 1_000_000
            return "\(start)-\(cue.timeRange.end.nanoseconds.map { String($0 / 1_000_000) } ?? "")"
        }
    }

    private func makeScene(
        _ media: ScriptedMedia = clip,
        advance: MediaTime = .zero
    ) -> (Theatre, PlayerItem, Listener) {
        let theatre = Theatre(media)
        let item = theatre.makeItem()
        let listener = Listener(advance: advance)
        item.add(listener.output)
        return (theatre, item, listener)
    }

    private func host(_ milliseconds: Int64) -> HostTime {
        HostTime(nanoseconds: milliseconds * 1_000_000)
    }

    @Test("Each cue when it is due, with its end; pictures and sound are what they are without words")
    func due() {
        let (theatre, item, listener) = makeScene()
        item.selectTrack(ScriptedMedia.textTrack, ofType: .subtitle)
        theatre.player.replaceCurrentItem(with: item)
        theatre.player.play()
        theatre.driver.run(until: host(650))
        #expect(listener.output.cues(forItemTime: .ms(650)).map(\.text) == ["two"])
        #expect(listener.output.cues(forItemTime: .ms(550)).isEmpty)
        theatre.driver.run(atMost: 60)
        #expect(
            listener.told() == [
                "100: one 100-500", "600: two 600-900", "700: still two 700-1500", "1800: last 1800-",
            ]
        )
        #expect(theatre.sink.numbers == Array(0..<50))
        #expect(theatre.sound.samples.count == 96_000)
        #expect(theatre.driver.now == host(2000))
        #expect(item.tracks.filter(\.isEnabled).map(\.assetTrack.id) == [0, 1, 2])
    }

    @Test("Told ahead by the interval that an output asks for, each output by its own")
    func advance() {
        let (theatre, item, listener) = makeScene(advance: .ms(250))
        let plain = Listener()
        item.add(plain.output)
        item.selectTrack(ScriptedMedia.textTrack, ofType: .subtitle)
        theatre.player.replaceCurrentItem(with: item)
        theatre.player.rate = 2
        theatre.driver.run(atMost: 60)
        #expect(
            listener.told() == [
                "0: one 100-500", "350: two 600-900", "450: still two 700-1500", "1550: last 1800-",
            ]
        )
        #expect(plain.told().first == "100: one 100-500")
    }

    @Test("After a seek the flush, then what is due there already; cues that began before it too")
    func seeks() {
        let (theatre, item, listener) = makeScene()
        item.selectTrack(ScriptedMedia.textTrack, ofType: .subtitle)
        theatre.player.replaceCurrentItem(with: item)
        theatre.player.play()
        theatre.driver.run(until: host(300))
        item.seek(to: .ms(1400), toleranceBefore: .zero, toleranceAfter: .zero)
        theatre.driver.run(until: host(350))
        item.seek(to: .ms(800), toleranceBefore: .zero, toleranceAfter: .zero)
        theatre.driver.run(until: host(400))
        #expect(
            listener.told() == [
                "100: one 100-500", "flushed", "1400: still two 700-1500", "flushed",
                "800: two 600-900, still two 700-1500",
            ]
        )
    }

    @Test("In a loop and backward: each pass has its words")
    func passes() {
        let (theatre, item, listener) = makeScene()
        item.selectTrack(3, ofType: .subtitle)
        theatre.player.repeatMode = .loop
        theatre.player.replaceCurrentItem(with: item)
        theatre.player.play()
        theatre.driver.run(until: host(2900))
        let two = ["200: eins 200-550", "650: zwei 650-1950"]
        #expect(listener.told() == two + ["flushed"] + two)
        theatre.player.repeatMode = .once
        theatre.player.rate = -1
        theatre.driver.run(atMost: 60)
        #expect(
            listener.told() == ["flushed", "900: zwei 650-1950", "549: eins 200-550"]
        )
    }

    @Test("Other words while playing: without a stop, a picture or a sample lost")
    func switching() throws {
        let (theatre, item, listener) = makeScene()
        theatre.player.replaceCurrentItem(with: item)
        theatre.player.play()
        theatre.driver.run(until: host(250))
        let group = try #require(item.asset.mediaSelectionGroup(for: .legible))
        #expect(group.options.count == 2 && item.selectedMediaOption(in: group) == nil)
        item.select(group.options[0], in: group)
        theatre.driver.run(until: host(400))
        item.select(group.options(withLanguage: "de").first, in: group)
        theatre.driver.run(until: host(700))
        #expect(item.tracks.filter(\.isEnabled).map(\.assetTrack.id) == [0, 1, 3])
        item.select(nil, in: group)
        theatre.driver.run(atMost: 60)
        #expect(
            listener.told() == [
                "250: one 100-500", "flushed", "400: eins 200-550", "650: zwei 650-1950", "flushed",
            ]
        )
        #expect(theatre.sink.numbers == Array(0..<50))
        for case .present(let number, _, _, let host) in theatre.sink.calls {
            #expect(host == Int64(number) * 40_000_000)
        }
        #expect(theatre.sound.samples == (0..<96_000).map { Int16(truncatingIfNeeded: $0) })
        #expect(item.tracks.filter(\.isEnabled).map(\.assetTrack.id) == [0, 1])
    }

    @Test("Words that are sparse, late, missing or broken hold up neither the start nor the end")
    func sparse() {
        var media = Self.clip
        media.texts = [.init("far away", from: 1_800_000, to: nil)]
        let (theatre, item, _) = makeScene(media)
        item.selectTrack(ScriptedMedia.textTrack, ofType: .subtitle)
        theatre.player.replaceCurrentItem(with: item)
        theatre.player.play()
        theatre.driver.run(atMost: 60)
        #expect(theatre.driver.now == host(2000) && theatre.sink.numbers.count == 50)
        // A track that is not there: told of, and played without.
        let other = theatre.makeItem()
        other.selectTrack(77, ofType: .subtitle)
        theatre.player.replaceCurrentItem(with: other)
        theatre.player.play()
        theatre.driver.run(atMost: 60)
        #expect(theatre.driver.now == host(4000) && theatre.sink.numbers.count == 100)
        #expect(other.errorLog().events.contains { $0.error.message.contains("no track of text 77") })
    }

    @Test("Words of a file of their own, on the item's timeline")
    func sidecar() {
        let (theatre, item, listener) = makeScene(Theatre.clip)
        let words = ScriptedBackend(
            ScriptedMedia(texts: [.init("beside", from: 500, to: 800)]),
            clock: theatre.driver.clock
        )
        item.legibleAsset = Asset(url: URL(fileURLWithPath: "/words.srt"), backend: words)
        theatre.player.replaceCurrentItem(with: item)
        theatre.player.play()
        theatre.driver.run(atMost: 60)
        #expect(listener.told() == ["500: beside 500-800"])
    }

    @Test("As a sequence too, which ends with its output")
    func sequence() async {
        let (theatre, item, listener) = makeScene()
        var output: LegibleOutput? = LegibleOutput()
        let notices = output?.notices
        if let output { item.add(output) }
        item.selectTrack(3, ofType: .subtitle)
        theatre.player.replaceCurrentItem(with: item)
        theatre.player.play()
        theatre.driver.run(atMost: 60)
        if let output { item.remove(output) }
        output = nil
        var lines: [String] = []
        if let notices { for await notice in notices { lines.append(Listener.line(notice)) } }
        #expect(lines == listener.told() && lines.count == 2)
    }
}
