import FFmpeg
import MediaCore
import PlayheadBackend
import TestSupport
import Testing

@testable import HLS

/// A playlist in memory whose segments of a second are declared to be longer. A discontinuity follows the third one.
private struct RoundingServer: MemoryServer {
    static let playlist = "http://host.test/list.m3u8"
    private let files: [String: [UInt8]]
    let now: Int64 = 0

    init() throws { files = try Presentation.files("twelve segments") }

    func bytes(of location: String) -> [UInt8]? {
        guard location == Self.playlist else {
            return files["/" + (location.split(separator: "/").last ?? "")]
        }
        func segments(_ numbers: Range<Int>) -> String {
            numbers.map { "#EXTINF:1.1,\n\($0).ts\n" }.joined()
        }
        let list = segments(0..<3) + "#EXT-X-DISCONTINUITY\n" + segments(3..<12)
        return Array("#EXTM3U\n#EXT-X-TARGETDURATION:2\n\(list)#EXT-X-ENDLIST\n".utf8)
    }
}

@Suite("HLS: offsets after discontinuities", .enabled(if: Fixture.areThere, "make fixtures"))
struct TimestampAdjusterTests {
    private struct Frame: Hashable {
        var time: MediaTime?
        var byteCount: Int
    }

    private let server: RoundingServer
    private let resources: PresentationResources

    init() throws {
        server = try RoundingServer()
        resources = PresentationResources(root: try MemoryResource(server, RoundingServer.playlist))
    }

    private func open(at start: MediaTime? = nil) throws -> HLSDemuxer {
        let root = try MemoryResource(server, RoundingServer.playlist)
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

    private func frames(_ demuxer: HLSDemuxer) throws -> [Frame] {
        var frames: [Frame] = []
        while let packet = try demuxer.read().get() {
            frames.append(Frame(time: packet.presentationTime, byteCount: packet.byteCount))
        }
        return frames
    }

    @Test("A reader that begins after a discontinuity continues with the times of one that was sought there")
    func laterReaders() throws {
        let first = try open()
        try first.seek(to: .seconds(6.7), preference: .atOrBefore).get()
        let frames = try frames(first)
        // As after a change of the variant.
        let later = try open(at: .seconds(9))
        let laterFrames = try self.frames(later)
        #expect(laterFrames.count >= 90 && laterFrames.count < frames.count)
        #expect(laterFrames == Array(frames.suffix(laterFrames.count)))
        first.cancel()
        later.cancel()
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
