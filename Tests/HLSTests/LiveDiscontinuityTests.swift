import FFmpeg
import MediaCore
import PlayheadBackend
import TestSupport
import Testing

@testable import HLS

/// A live playlist in memory. Segments with the times of the ninth and later ones follow the sixth after a discontinuity.
private final class BrokenServer: MemoryServer {
    static let playlist = "http://host.test/live.m3u8"
    private let files: [String: [UInt8]]
    private let hasContinued = Locked(false)

    init() throws { files = try Presentation.files("twelve segments") }

    /// Removes the first two segments, and adds four after a discontinuity.
    func advance() { hasContinued.withLock { $0 = true } }

    var now: Int64 { hasContinued.withLock { $0 } ? 104_000_000_000 : 100_000_000_000 }

    func bytes(of location: String) -> [UInt8]? {
        guard location == Self.playlist else {
            return files["/" + (location.split(separator: "/").last ?? "")]
        }
        func segments(_ numbers: Range<Int>) -> String {
            numbers.map { "#EXTINF:1,\n\($0).ts\n" }.joined()
        }
        let head = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n"
        let list =
            hasContinued.withLock { $0 }
            ? "#EXT-X-MEDIA-SEQUENCE:2\n" + segments(2..<6) + "#EXT-X-DISCONTINUITY\n" + segments(8..<12)
            : segments(0..<6)
        return Array((head + list).utf8)
    }
}

/// Readers of a live presentation that begin after a discontinuity that no other reader has reached.
@Suite("HLS: live presentations after a discontinuity", .enabled(if: Fixture.areThere, "make fixtures"))
struct LiveDiscontinuityTests {
    private let server: BrokenServer
    private let resources: PresentationResources

    init() throws {
        server = try BrokenServer()
        resources = PresentationResources(root: try MemoryResource(server, BrokenServer.playlist))
    }

    private func open(liveOffset: Double) throws -> (HLSDemuxer, MediaDescription) {
        let root = try MemoryResource(server, BrokenServer.playlist)
        var request = OpenRequest(location: BrokenServer.playlist, source: root)
        request.options.liveOffset = .seconds(liveOffset)
        let demuxer = HLSDemuxer(
            request,
            root,
            url: BrokenServer.playlist,
            backend: FFmpegBackend(),
            resources: resources
        )
        return (demuxer, try demuxer.open().get())
    }

    @Test("A reader that begins after the discontinuity has the times of the presentation")
    func times() throws {
        let (first, description) = try open(liveOffset: 6)
        #expect(description.joinTime == .zero)
        server.advance()
        let (later, laterDescription) = try open(liveOffset: 3)
        let joinTime = try #require(laterDescription.joinTime)
        #expect(abs(joinTime.seconds - 7) < 0.1)
        // Across the discontinuity, which is measured there.
        try later.seek(to: .seconds(5.2), preference: .atOrBefore).get()
        var last = 5.0
        while last < 9, let packet = try later.read().get() {
            let time = try #require(packet.presentationTime).seconds
            #expect(abs(time - last) < 0.1)
            last = time
        }
        #expect(last >= 9)
        first.cancel()
        later.cancel()
    }
}
