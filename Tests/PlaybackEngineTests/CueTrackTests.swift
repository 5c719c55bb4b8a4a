import MediaCore
import PlayheadBackend
import PlayheadTesting
import Testing

@testable import PlaybackEngine

@Suite("Cue track")
struct CueTrackTests {
    /// A track of scripted cues that has been read to its end, and the cues that its listener has received.
    private final class Bench {
        private let lines: Locked<[String]>
        var track: CueTrack

        init(_ cues: [ScriptedMedia.Cue], advance: Int64 = 0, reportsEnds: Bool = true) {
            let driver = ManualDriver()
            let demuxer = ScriptedDemuxer(ScriptedMedia(cues: cues), driver: driver)
            let lines = Locked([String]())
            let listener = CueListener(
                id: ObjectIdentifier(lines),
                advance: advance * 1_000_000,
                reportsEnds: reportsEnds
            ) {
                switch $0 {
                case .flushed: lines.withLock { $0.append("flushed") }
                case .due(let cues, _): lines.withLock { $0 += cues.map(\.text) }
                case .ended(let cues, _): lines.withLock { $0 += cues.map { "end of \($0.text)" } }
                }
            }
            self.lines = lines
            let source = CueSource.subtitles(
                .track(ScriptedMedia.subtitleTrack),
                makeDemuxer: { _ in demuxer },
                listeners: { [listener] }
            )
            let stage = CueStage(source, at: .zero, changed: {}, opened: { _ in }, faulted: { _ in })
            while stage.step() == .progressed {}
            let lane = driver.makeLane(.blockingIO, label: "cues")
            track = CueTrack(id: ItemID(1), source: source, stage: stage, lane: lane, didClose: { _ in })
        }

        /// Updates the track, and returns what its listener has received.
        func update(at milliseconds: Int64, isReverse: Bool = false) -> [String] {
            let time = ItemTime(nanoseconds: milliseconds * 1_000_000)
            let position = CueTracks.Position(epoch: Epoch(isReverse ? 2 : 1), pass: 0)
            _ = track.update(at: time, position, isReverse: isReverse)
            return lines.withLock { lines in
                defer { lines = [] }
                return lines
            }
        }

        /// Returns the text of the cues to draw, or nil if they are those of the last call.
        func drawn(at milliseconds: Int64, isReverse: Bool = false) -> [String]? {
            let time = ItemTime(nanoseconds: milliseconds * 1_000_000)
            return track.drawn(at: time, isReverse: isReverse).cues?.map(\.cue.text)
        }
    }

    @Test("Cues are delivered and drawn when they begin and end, in both directions")
    func changes() {
        let bench = Bench([.init("a", from: 100, to: 300), .init("b", from: 200, to: 400)])
        #expect(bench.update(at: 0) == [])
        #expect(bench.update(at: 150) == ["a"])
        #expect(bench.update(at: 199) == [])
        #expect(bench.update(at: 200) == ["b"])
        #expect(bench.update(at: 350) == ["end of a"])
        #expect(bench.update(at: 400) == ["end of b"])
        #expect(bench.update(at: 400, isReverse: true) == ["flushed"])
        #expect(bench.update(at: 350, isReverse: true) == ["b"])
        #expect(bench.update(at: 250, isReverse: true) == ["a"])
        #expect(bench.update(at: 150, isReverse: true) == ["end of b"])
        #expect(bench.drawn(at: 0) == [])
        #expect(bench.drawn(at: 99) == nil)
        #expect(bench.drawn(at: 250) == ["a", "b"])
        #expect(bench.drawn(at: 299) == nil)
        #expect(bench.drawn(at: 300) == ["b"])
        #expect(bench.drawn(at: 250) == ["a", "b"])
        #expect(bench.drawn(at: 250, isReverse: true) == ["a", "b"])
        #expect(bench.drawn(at: 200, isReverse: true) == nil)
        #expect(bench.drawn(at: 199, isReverse: true) == ["a"])
    }

    @Test("A listener that is removed and added again receives the cues that are due again")
    func removedListener() throws {
        let bench = Bench([.init("a", from: 100, to: 300)])
        #expect(bench.update(at: 150) == ["a"])
        let listener = try #require(bench.track.source.listeners().first)
        bench.track.removeListener(listener.id)
        #expect(bench.update(at: 160) == ["a"])
    }

    @Test("A listener that does not receive ends receives each cue once, in advance")
    func startsOnly() {
        let cues = [
            ScriptedMedia.Cue("a", from: 100, to: 300), .init("b", from: 200, to: 400),
            .init("short", from: 500, to: 510), .init("c", from: 600, to: 700),
        ]
        let bench = Bench(cues, advance: 50, reportsEnds: false)
        #expect(bench.update(at: 0) == [])
        #expect(bench.update(at: 50) == ["a"])
        #expect(bench.update(at: 149) == [])
        #expect(bench.update(at: 150) == ["b"])
        #expect(bench.update(at: 350) == [])
        // A cue that is over when the update comes is not delivered.
        #expect(bench.update(at: 520) == [])
        #expect(bench.update(at: 560) == ["c"])
    }

    @Test("An update at which a cue begins does not examine those that are due", .timeLimit(.minutes(1)))
    func manyStarts() {
        // With an examination of all cues that are due at each start this takes minutes.
        let count: Int64 = 9000
        let cues = (0..<count).map { ScriptedMedia.Cue("\($0)", from: $0, to: 90_000) }
        let bench = Bench(cues, reportsEnds: false)
        for time in 0..<count {
            guard bench.update(at: time) == ["\(time)"] else {
                Issue.record("not delivered once: the cue at \(time) ms")
                return
            }
        }
    }

    @Test("Updates at which no cue begins or ends do not examine the cues", .timeLimit(.minutes(1)))
    func manyCues() {
        // With an examination of all cues at each update this takes minutes.
        let count = 5000
        let bench = Bench((0..<count).map { .init("\($0)", from: 0, to: 90_000) })
        #expect(bench.update(at: 0).count == count)
        #expect(bench.drawn(at: 0)?.count == count)
        for time in 1..<60_000 as Range<Int64> {
            guard bench.update(at: time).isEmpty, bench.drawn(at: time) == nil else {
                Issue.record("cues changed at \(time) ms")
                return
            }
        }
    }
}
