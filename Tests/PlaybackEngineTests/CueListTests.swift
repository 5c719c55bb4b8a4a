import MediaCore
import TestSupport
import Testing

@testable import PlaybackEngine

@Suite("Cue list")
struct CueListTests {
    /// A list of cues that examines all of them at each change. Times are in nanoseconds.
    private struct SimpleList {
        struct Row {
            let text: String
            let track: Int
            let start: Int64
            /// Nil while nothing has ended the cue.
            var end: Int64?
            let isBitmap: Bool

            var cue: TextCue {
                let from = MediaTime(nanoseconds: start)
                let duration = end.map { MediaTime(nanoseconds: $0 - start) } ?? .indefinite
                let range = MediaTimeRange(start: from, duration: duration)
                var cue = TextCue(text: text, timeRange: range, track: track)
                if isBitmap { cue.drawing = .bitmap(SubtitleBitmap(canvas: nil, parts: [])) }
                return cue
            }
        }

        var rows: [Row] = []
        var lines: [String] { rows.map { "\($0.text) \($0.start) \($0.end ?? .max)" } }

        mutating func insert(_ new: Row) {
            var row = new
            let index = rows.firstIndex { $0.start > row.start } ?? rows.count
            if row.end == nil || row.isBitmap,
                let next = rows[index...].first(where: { $0.track == row.track })
            {
                row.end = min(row.end ?? .max, next.start)
            }
            rows.insert(row, at: index)
            end(track: row.track, at: row.start)
        }

        mutating func end(track: Int, at time: Int64) {
            for index in rows.indices where rows[index].track == track && rows[index].start < time {
                let end = rows[index].end ?? .max
                if end == .max || rows[index].isBitmap && end > time { rows[index].end = time }
            }
        }

        mutating func drop(before time: Int64) { rows.removeAll { $0.end ?? .max < time } }
    }

    @Test("A cue keeps its identity when its end becomes known; other texts, starts and drawings have others")
    func identity() throws {
        func entry(
            _ text: String,
            at start: Int64,
            to end: Int64?,
            isBitmap: Bool = false
        ) throws -> CueList.Entry {
            let row = SimpleList.Row(text: text, track: 0, start: start, end: end, isBitmap: isBitmap)
            var list = CueList()
            let isInserted = list.insert(row.cue)
            #expect(isInserted)
            return try #require(list.entries.first)
        }
        let open = try entry("a", at: 1, to: nil)
        let closed = try entry("a", at: 1, to: 5)
        #expect(open != closed)
        #expect(Set([open, closed].map(\.identity)).count == 1)
        let others = [
            try entry("b", at: 1, to: nil), try entry("a", at: 2, to: nil),
            try entry("a", at: 1, to: nil, isBitmap: true),
        ]
        #expect(Set(others.map(\.identity) + [open.identity]).count == 4)
    }

    @Test("Cues that begin at the same time are not compared with each other", .timeLimit(.minutes(1)))
    func manyAtOnce() {
        // With a comparison of each pair this takes minutes.
        let count = 60_000
        var list = CueList()
        for index in 0..<count {
            let start = Int64(index / (count / 2))
            let row = SimpleList.Row(text: "\(index)", track: 0, start: start, end: 9, isBitmap: false)
            guard list.insert(row.cue) else {
                Issue.record("cue \(index) does not fit")
                return
            }
        }
        #expect(list.entries.count == count)
    }

    @Test("A cue is inserted once, and again after it has been dropped")
    func repeated() {
        func row(_ text: String, isBitmap: Bool = false) -> SimpleList.Row {
            SimpleList.Row(text: text, track: 0, start: 1, end: 2, isBitmap: isBitmap)
        }
        var list = CueList()
        for _ in 0..<2 {
            for new in [row("a"), row("b"), row("a", isBitmap: true), row("a")] {
                let isInserted = list.insert(new.cue)
                #expect(isInserted)
            }
            #expect(list.entries.map(\.cue.text) == ["a", "b", "a"])
            #expect(list.entries.map(\.isDrawnOnly) == [false, false, true])
            list.drop(before: ItemTime(nanoseconds: 3))
            #expect(list.entries.isEmpty)
        }
    }

    @Test(
        "Cues in any order, of several tracks, end those before them as if all of them were examined",
        arguments: (0..<200 as Range<UInt64>).samples
    )
    func ends(seed: UInt64) {
        var random = SplitMix64(seed)
        var list = CueList()
        var simple = SimpleList()
        for step in 0..<80 {
            let time = Int64.random(in: 0..<40, using: &random)
            let track = Int.random(in: 0..<3, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                list.end(track: track, at: ItemTime(nanoseconds: time))
                simple.end(track: track, at: time)
            case 1:
                // Few cues end this early, so most of them stay.
                list.drop(before: ItemTime(nanoseconds: time / 4))
                simple.drop(before: time / 4)
            default:
                let isOpen = Bool.random(using: &random)
                let row = SimpleList.Row(
                    text: "\(step)",
                    track: track,
                    start: time,
                    end: isOpen ? nil : time + Int64.random(in: 0..<20, using: &random),
                    isBitmap: Bool.random(using: &random)
                )
                let isInserted = list.insert(row.cue)
                #expect(isInserted)
                simple.insert(row)
            }
            let lines = list.entries.map { "\($0.cue.text) \($0.start.nanoseconds) \($0.end.nanoseconds)" }
            guard lines == simple.lines else {
                Issue.record("seed \(seed), step \(step): \(lines) instead of \(simple.lines)")
                return
            }
        }
    }
}
