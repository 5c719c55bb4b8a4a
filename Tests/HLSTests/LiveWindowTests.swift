import MediaCore
import PlayheadBackend
import Testing

@testable import HLS

// Rule: live-window
@Suite("HLS: live windows")
struct LiveWindowTests {
    private func window(slides: Bool = true, hasEnded: Bool = false) -> LiveWindow {
        LiveWindow(
            range: MediaTimeRange(start: .seconds(20), end: .seconds(50)),
            slides: slides,
            hasEnded: hasEnded,
            targetDuration: .seconds(4),
            recommendedOffset: .seconds(12),
            updateTime: 1_000_000_000
        )
    }

    @Test("The range grows with time, and slides only without a type")
    func estimates() {
        let later: Int64 = 11_000_000_000
        #expect(window().estimatedRange(at: later) == MediaTimeRange(start: .seconds(30), end: .seconds(60)))
        #expect(
            window(slides: false).estimatedRange(at: later)
                == MediaTimeRange(start: .seconds(20), end: .seconds(60))
        )
        #expect(window(hasEnded: true).estimatedRange(at: later) == window().range)
        #expect(window().estimatedRange(at: 0) == window().range)
    }

    @Test(
        "The live position is at the offset from the estimated edge, and not before the start",
        arguments: [(nil, 38), (5, 45), (0, 50), (-3, 50), (30, 20), (1000, 20)] as [(Int64?, Int64)]
    )
    func livePosition(offset: Int64?, seconds: Int64) {
        let offset = offset.map { MediaTime.seconds(Double($0)) }
        #expect(window().livePosition(offset: offset, at: 0) == .seconds(Double(seconds)))
    }

    @Test(
        "After a stop playback continues, returns to the preserved offset, or leaves a position that is gone",
        arguments: [
            // Seconds since the playlist, the position, and the results without and with the preserved offset.
            (0, 38, nil, nil), (0, 34, nil, nil), (0, 33, nil, 38), (0, 20, nil, 38), (0, 19, 38, 38),
            (10, 44, nil, nil), (10, 43, nil, 48), (10, 26, nil, 48), (10, 25, 48, 48), (100, 38, 138, 138),
        ] as [(Int64, Int64, Int64?, Int64?)]
    )
    func resumes(passed: Int64, position: Int64, plain: Int64?, preserving: Int64?) {
        for (preserves, seconds) in [(false, plain), (true, preserving)] {
            let found = window().resumePosition(
                after: .seconds(Double(position)),
                offset: nil,
                preservesOffset: preserves,
                at: 1_000_000_000 + passed * 1_000_000_000
            )
            #expect(found == seconds.map { .seconds(Double($0)) })
        }
        let ended = window(hasEnded: true).resumePosition(
            after: .zero,
            offset: nil,
            preservesOffset: true,
            at: .max
        )
        #expect(ended == nil)
    }

    // MARK: Versions of the playlist

    /// Returns a playlist with segments of 3 s. `broken` is the number of a segment that follows a discontinuity.
    private func list(_ numbers: Range<Int>, firstDate: String? = nil, broken: Int? = nil) throws
        -> MediaPlaylist
    {
        var text = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-MEDIA-SEQUENCE:\(numbers.lowerBound)\n"
        if let firstDate { text += "#EXT-X-PROGRAM-DATE-TIME:\(firstDate)\n" }
        for number in numbers {
            if number == broken { text += "#EXT-X-DISCONTINUITY\n" }
            text += "#EXTINF:3,\n\(number).ts\n"
        }
        guard
            case .media(let media) = try PlaylistParser.parse(Array(text.utf8), at: "http://host.test/a.m3u8")
        else {
            throw MediaError(.io, "not a media playlist")
        }
        return media
    }

    @Test("Segments that were in no version of the playlist count by the dates, else by the target duration")
    func gaps() throws {
        func start(_ old: MediaPlaylist, _ new: MediaPlaylist) throws -> Int64 {
            var tracker = MediaPlaylistTracker(
                old,
                url: "http://host.test/a.m3u8",
                resources: PresentationResources(root: UnreachableResource())
            )
            try tracker.apply(new)
            #expect(tracker.version == 1)
            return tracker.start(of: tracker.removedCount) / 1_000_000
        }
        #expect(try start(list(0..<4), list(2..<6)) == 6)
        #expect(try start(list(0..<4), list(4..<6)) == 12)
        // Three segments are unknown.
        #expect(try start(list(0..<4), list(7..<9)) == 24)
        let old = try list(3..<4, firstDate: "2026-01-01T00:00:00Z")
        #expect(try start(old, list(7..<9, firstDate: "2026-01-01T00:00:12.5Z")) == 12)
        // Only the first segment of each version is dated.
        let dated = try list(1..<4, firstDate: "2026-01-01T00:00:00Z")
        #expect(try start(dated, list(7..<9, firstDate: "2026-01-01T00:00:18Z")) == 18)
        // A date that goes back, or far ahead, is not used.
        #expect(try start(old, list(7..<9, firstDate: "2025-01-01T00:00:00Z")) == 3)
        #expect(try start(old, list(7..<9, firstDate: "2036-01-01T00:00:00Z")) == 15)
    }

    private func tracker(_ playlist: MediaPlaylist) -> MediaPlaylistTracker {
        MediaPlaylistTracker(
            playlist,
            url: "http://host.test/a.m3u8",
            resources: PresentationResources(root: UnreachableResource())
        )
    }

    @Test(
        "Reading begins with the last available segment if there is none after the offset from the edge",
        arguments: [(3, nil, 2), (6, 0, 5), (5, 0, 4), (6, nil, 3)] as [(Int, Int64?, Int64)]
    )
    func lastAvailable(firstGap: Int, offset: Int64?, expected: Int64) throws {
        let segments = (0..<6).map { number in
            (number >= firstGap ? "#EXT-X-GAP\n" : "") + "#EXTINF:3,\n\(number).ts\n"
        }.joined()
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:3\n" + segments
        let url = "http://host.test/a.m3u8"
        guard case .media(let media) = try PlaylistParser.parse(Array(text.utf8), at: url) else {
            throw MediaError(.io, "not a media playlist")
        }
        let source = SegmentSource(
            media,
            url: url,
            resources: PresentationResources(root: UnreachableResource()),
            liveOffset: offset
        ) { _, _ throws(MediaError) in
            throw MediaError(.encrypted, "no segment is encrypted")
        }
        #expect(source.segment?.sequence == expected)
    }

    @Test(
        "A preferred start lies within the playlist, and in a live one not after the recommended offset",
        arguments: [
            // The offset, the times in a playlist that has ended and in a live one, and the first segment of that one.
            (4, 4, 4, 1), (3, 3, 3, 1), (-4, 14, 6, 2), (-15, 3, 3, 1), (-100, 0, 0, 0), (100, 18, 6, 2),
            (.min, 0, 0, 0), (.max, 18, 6, 2),
        ] as [(Int64, Int64, Int64, Int)]
    )
    func preferredStart(offset: Int64, ended: Int64, live: Int64, first: Int) throws {
        let (microseconds, overflow) = offset.multipliedReportingOverflow(by: 1_000_000)
        let start = PlaylistStart(offset: overflow ? offset : microseconds, isPrecise: false)
        var playlist = try list(0..<6)
        #expect(playlist.time(of: start) == live * 1_000_000)
        #expect(tracker(playlist).firstIndex(offset: nil, start: start) == first)
        // The offset of the application replaces it.
        #expect(tracker(playlist).firstIndex(offset: 3_000_000, start: start) == 5)
        playlist.hasEnded = true
        #expect(playlist.time(of: start) == ended * 1_000_000)
    }

    @Test("After a version without segments the indices continue")
    func emptyVersion() throws {
        var tracker = tracker(try list(0..<3))
        try tracker.apply(list(3..<3))
        #expect(tracker.removedCount == 0 && tracker.segment(2)?.sequence == 2)
        try tracker.apply(list(2..<5))
        #expect(tracker.removedCount == 2 && tracker.segment(3)?.sequence == 3)
        #expect(tracker.start(of: 3) == 9_000_000)
        // A server that was restarted in the meantime begins to count again.
        try tracker.apply(list(0..<0))
        try tracker.apply(list(0..<2))
        #expect(tracker.removedCount == 5 && tracker.segment(5)?.sequence == 0)
        #expect(tracker.start(of: 5) == 15_000_000)
    }

    @Test("Discontinuity sequence numbers continue if a server removes the tag and does not declare them")
    func discontinuities() throws {
        var tracker = tracker(try list(0..<4, broken: 2))
        try tracker.apply(list(2..<5))
        let later = (2..<5).map { tracker.segment($0)?.discontinuity }
        #expect(later == [1, 1, 1])
        try tracker.apply(list(4..<7, broken: 6))
        let last = (4..<7).map { tracker.segment($0)?.discontinuity }
        #expect(last == [1, 1, 2])
    }

    @Test("Reloads for seeks do not count toward the limit of failures, those for reads do")
    func failedReloads() throws {
        let root = UnreachableResource()
        var tracker = MediaPlaylistTracker(
            try list(0..<4),
            url: "http://host.test/a.m3u8",
            resources: PresentationResources(root: root)
        )
        let context = ReadContext()
        func advance(_ count: Int64) { root.setNow(count * 10_000_000_000) }
        for attempt in 1...5 {
            advance(Int64(attempt))
            #expect(try tracker.refresh(context))
        }
        // The segment after the last one: a read tries again when a reload is due, and fails with the third.
        var index = 4
        for attempt in 6...7 {
            advance(Int64(attempt))
            guard case .pending = try tracker.segment(&index, context) else {
                Issue.record("the segment cannot be known")
                return
            }
        }
        // A seek meanwhile changes nothing.
        advance(8)
        #expect(try tracker.refresh(context))
        advance(9)
        #expect(throws: MediaError.self) { try tracker.segment(&index, context) }
    }

    @Test(
        "A reader of a live playlist awaits media from its last segment to the next reload, except for subtitles",
        arguments: [false, true]
    )
    func awaitsMedia(isOfSubtitles: Bool) throws {
        let root = UnreachableResource()
        let resources = PresentationResources(root: root)
        var tracker = MediaPlaylistTracker(
            try list(0..<4),
            url: "http://host.test/a.m3u8",
            resources: resources,
            isOfSubtitles: isOfSubtitles
        )
        let context = ReadContext()
        var index = 3
        guard case .ready(let last?) = try tracker.segment(&index, context) else {
            Issue.record("the last segment is in the playlist")
            return
        }
        #expect(last.sequence == 3)
        #expect(!resources.awaitsSegment)
        index = 4
        guard case .pending = try tracker.segment(&index, context) else {
            Issue.record("the segment cannot be known")
            return
        }
        #expect(resources.awaitsSegment == !isOfSubtitles)
        // The target duration has passed, so the playlist is fetched.
        root.setNow(4_000_000_000)
        #expect(!resources.awaitsSegment)
    }

    @Test(
        "The recommended offset is HOLD-BACK, else three target durations",
        arguments: [
            ("", 12_000_000), ("#EXT-X-SERVER-CONTROL:HOLD-BACK=14.5", 14_500_000),
            ("#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,HOLD-BACK=18,PART-HOLD-BACK=1.5", 18_000_000),
            ("#EXT-X-SERVER-CONTROL:HOLD-BACK=-1", 12_000_000),
            ("#EXT-X-SERVER-CONTROL:HOLD-BACK=1e300", 12_000_000),
            ("#EXT-X-SERVER-CONTROL:", 12_000_000),
        ]
    )
    func recommendedOffset(tag: String, microseconds: Int64) throws {
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n\(tag)\n#EXTINF:4,\na.ts\n"
        guard
            case .media(let media) = try PlaylistParser.parse(Array(text.utf8), at: "http://host.test/a.m3u8")
        else {
            throw MediaError(.io, "not a media playlist")
        }
        #expect(media.recommendedOffset == microseconds)
    }
}
