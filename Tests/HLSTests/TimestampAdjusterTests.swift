import FFmpeg
import MediaCore
import PlayheadBackend
import TestSupport
import Testing

@testable import HLS

/// A playlist in memory whose segments are declared to be longer or shorter than they are. A discontinuity precedes
/// each of its parts but the first one.
private struct RoundingServer: MemoryServer {
    /// Consecutive segments with the same declared duration.
    struct Part {
        var segments: Range<Int>
        var duration: String
    }

    static let playlist = "http://host.test/list.m3u8"
    private let files: [String: [UInt8]]
    private let parts: [Part]
    /// The number of files that each segment consists of.
    private let filesPerSegment: Int
    let now: Int64 = 0

    init(_ name: String, _ parts: [Part], filesPerSegment: Int = 1) throws {
        files = try Presentation.files(name)
        self.parts = parts
        self.filesPerSegment = filesPerSegment
    }

    func bytes(of location: String) -> [UInt8]? {
        guard location == Self.playlist else {
            let name = location.split(separator: "/").last ?? ""
            guard let number = Int(name.prefix { $0 != "." }) else { return nil }
            return (0..<filesPerSegment).flatMap { files["/\(number * filesPerSegment + $0).ts"] ?? [] }
        }
        let lists = parts.map { part in
            part.segments.map { "#EXTINF:\(part.duration),\n\($0).ts\n" }.joined()
        }
        let list = lists.joined(separator: "#EXT-X-DISCONTINUITY\n")
        return Array("#EXTM3U\n#EXT-X-TARGETDURATION:2\n\(list)#EXT-X-ENDLIST\n".utf8)
    }
}

@Suite("HLS: offsets after discontinuities", .enabled(if: Fixture.areThere, "make fixtures"))
struct TimestampAdjusterTests {
    private struct Frame: Hashable {
        var time: MediaTime?
        var byteCount: Int
    }

    /// Opens a reader of a presentation.
    private func open(_ resources: PresentationResources, at start: MediaTime? = nil) throws -> HLSDemuxer {
        let root = try resources.root.openReferenced(
            RoundingServer.playlist,
            cachePolicy: .nowhere,
            validatedAfter: 0
        )
        var request = OpenRequest(location: RoundingServer.playlist, source: root)
        request.options.startTime = start
        let demuxer = HLSDemuxer(
            request,
            root,
            url: RoundingServer.playlist,
            backend: FFmpegBackend(),
            resources: resources
        )
        _ = try demuxer.open().get()
        return demuxer
    }

    /// Returns a presentation of twelve segments of a second. A discontinuity follows the third one.
    private func seconds(declaredAs duration: String) throws -> PresentationResources {
        let parts = [0..<3, 3..<12].map { RoundingServer.Part(segments: $0, duration: duration) }
        return try resources(RoundingServer("twelve segments", parts))
    }

    /// Returns a presentation with these parts. Each file of its segments has 24 frames in 0.8 s.
    private func resources(_ parts: [RoundingServer.Part], filesPerSegment: Int = 1) throws
        -> PresentationResources
    {
        try resources(RoundingServer("fifteen segments", parts, filesPerSegment: filesPerSegment))
    }

    private func resources(_ server: RoundingServer) throws -> PresentationResources {
        PresentationResources(root: try MemoryResource(server, RoundingServer.playlist))
    }

    private func frames(_ demuxer: HLSDemuxer) throws -> [Frame] {
        var frames: [Frame] = []
        while let packet = try demuxer.read().get() {
            frames.append(Frame(time: packet.presentationTime, byteCount: packet.byteCount))
        }
        return frames
    }

    /// Returns the frames that another reader of a presentation reads.
    private func frames(_ resources: PresentationResources, at start: MediaTime? = nil) throws -> [Frame] {
        let demuxer = try open(resources, at: start)
        defer { demuxer.cancel() }
        return try frames(demuxer)
    }

    private func times(_ frames: [Frame]) -> [MediaTime] { frames.compactMap(\.time) }

    /// The times of the frames without gaps.
    private static let allTimes: [MediaTime] = (0..<360).map { MediaTime(value: $0, timescale: 30) }

    @Test("A reader that begins after a discontinuity continues with the times of one that was sought there")
    func laterReaders() throws {
        let resources = try seconds(declaredAs: "1.1")
        let first = try open(resources)
        try first.seek(to: .seconds(6.7), preference: .atOrBefore).get()
        let frames = try frames(first)
        // As after a change of the variant.
        let later = try open(resources, at: .seconds(9))
        let laterFrames = try self.frames(later)
        #expect(laterFrames.count >= 90 && laterFrames.count < frames.count)
        #expect(laterFrames == Array(frames.suffix(laterFrames.count)))
        first.cancel()
        later.cancel()
    }

    @Test(
        "Durations that are rounded to seconds leave neither a gap nor an overlap at a discontinuity",
        arguments: [
            // The declared durations of the parts, their segments, and the number of files of 0.8 s of each segment.
            (["1", "1", "1"], [0..<4, 4..<9, 9..<15], 1), (["1", "0.8", "1"], [0..<4, 4..<9, 9..<15], 1),
            (["2", "2", "2"], [0..<2, 2..<4, 4..<5], 3),
        ] as [([String], [Range<Int>], Int)]
    )
    func rounded(durations: [String], segments: [Range<Int>], filesPerSegment: Int) throws {
        let parts = zip(segments, durations).map { RoundingServer.Part(segments: $0, duration: $1) }
        let read = try frames(resources(parts, filesPerSegment: filesPerSegment))
        #expect(times(read) == Self.allTimes)
    }

    @Test(
        "After a seek the next discontinuity has no gap either, and readers from the beginning are not affected",
        arguments: [
            // The target in the second part, and the declared start of its segment: the first or a later one.
            (4.2, 4), (5.5, 5),
        ] as [(Double, Int)]
    )
    func sought(target: Double, first: Int) throws {
        let parts = [0..<4, 4..<9, 9..<15].map { RoundingServer.Part(segments: $0, duration: "1") }
        let resources = try resources(parts)
        let demuxer = try open(resources)
        try demuxer.seek(to: .seconds(target), preference: .atOrBefore).get()
        let sought = times(try frames(demuxer))
        let start = MediaTime(value: Int64(first), timescale: 1)
        #expect(sought == Self.allTimes.dropLast(24 * first).map { start + $0 })
        let whole = try frames(resources)
        #expect(times(whole) == Self.allTimes)
        // The first segment of the third part.
        let later = try frames(resources, at: .seconds(9))
        #expect(later == Array(whole.suffix(144)))
        demuxer.cancel()
    }

    @Test(
        "If rounding does not explain where the media end, the next part begins at the declared time",
        arguments: [("2", 8), ("1.1", 4.4)] as [(String, Double)]
    )
    func declared(duration: String, start: Double) throws {
        let parts = [0..<4, 4..<15].map { RoundingServer.Part(segments: $0, duration: duration) }
        let read = times(try frames(resources(parts)))
        try #require(read.count == 360)
        #expect(abs(read[95].seconds - 95.0 / 30) < 0.001)
        #expect(abs(read[96].seconds - start) < 0.001)
    }

    @Test("An estimated offset is replaced by one that is measured, but not for readers that use it")
    func measured() {
        let shared = Locked(TimestampAdjuster.SharedShifts())
        let first = TimestampAdjuster(shared)
        let second = TimestampAdjuster(shared)
        let estimate = first.shift(of: 1, isMeasured: false) { .seconds(1) }
        let measured = second.shift(of: 1, isMeasured: true) { .seconds(2) }
        let kept = first.shift(of: 1, isMeasured: true) { .seconds(3) }
        let later = TimestampAdjuster(shared).shift(of: 1, isMeasured: false) { .seconds(4) }
        #expect([estimate, measured, kept, later].map(\.seconds) == [1, 2, 1, 2])
    }
}
