import FFmpeg
import MediaCore
import PlayheadBackend
import TestSupport
import Testing

@testable import HLS

/// A live presentation in memory. The test moves its clock and its playlist.
private final class LiveServer: MemoryServer {
    struct State: Sendable {
        var segments = 0..<6
        var hasEnded = false
        /// Whether each segment has a date, a second after that of the one before.
        var isDated = false
        var seconds: Int64 = 100
        /// The declared duration of the segments. That of the media is a second.
        var duration = 1.0
    }
    static let playlist = "http://host.test/live.m3u8"
    private let files: [String: [UInt8]]
    private let state = Locked(State())

    init() throws { files = try Presentation.files("twelve segments") }

    func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

    var now: Int64 { state.withLock { $0.seconds } * 1_000_000_000 }

    func bytes(of location: String) -> [UInt8]? {
        guard location == Self.playlist else {
            return files["/" + (location.split(separator: "/").last ?? "")]
        }
        let state = state.withLock { $0 }
        var list = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-SERVER-CONTROL:HOLD-BACK=\(3 * state.duration)\n"
        list += "#EXT-X-MEDIA-SEQUENCE:\(state.segments.lowerBound)\n"
        for number in state.segments {
            if state.isDated {
                let second = number < 10 ? "0\(number)" : "\(number)"
                list += "#EXT-X-PROGRAM-DATE-TIME:2026-11-21T12:00:\(second)Z\n"
            }
            list += "#EXTINF:\(state.duration),\n\(number).ts\n"
        }
        if state.hasEnded { list += "#EXT-X-ENDLIST\n" }
        return Array(list.utf8)
    }
}

// Rule: live-window
@Suite("HLS: published windows", .enabled(if: Fixture.areThere, "make fixtures"))
struct PublishedWindowTests {
    private let server: LiveServer
    private let resources: PresentationResources
    private let demuxer: HLSDemuxer

    init() throws {
        server = try LiveServer()
        let root = try MemoryResource(server, LiveServer.playlist)
        resources = PresentationResources(root: root)
        demuxer = HLSDemuxer(
            OpenRequest(location: LiveServer.playlist, source: root),
            root,
            url: LiveServer.playlist,
            backend: FFmpegBackend(),
            resources: resources
        )
    }

    private var window: [Int64]? {
        resources.liveWindow.map { window in
            [window.range.start, window.range.end].map { Int64($0.seconds.rounded()) }
                + [window.updateTime / 1_000_000_000, window.hasEnded ? 1 : 0]
        }
    }

    @Test(
        "The window is published when the presentation is opened, and after each version of the playlist that is read"
    )
    func versions() throws {
        #expect(resources.liveWindow == nil)
        guard case .ready(let description) = try demuxer.open() else {
            Issue.record("the playlist is in memory")
            return
        }
        #expect(description.joinTime == .seconds(3) && window == [0, 6, 100, 0])
        #expect(resources.liveWindow?.slides == true)
        // Packets of known segments need no other version.
        server.change { ($0.segments, $0.seconds) = (2..<8, 102) }
        guard case .ready(.some) = try demuxer.read() else {
            Issue.record("the segments are in memory")
            return
        }
        #expect(window == [0, 6, 100, 0])
        // The seventh segment is only in the next version.
        while case .ready(let packet?) = try demuxer.read(), (packet.decodeTime ?? .zero) < .seconds(6.5) {}
        #expect(window == [2, 8, 102, 0])
    }

    @Test("The window follows the media if the declared durations are wrong")
    func drift() throws {
        server.change { $0.duration = 1.5 }
        let root = try MemoryResource(server, LiveServer.playlist)
        let resources = PresentationResources(root: root)
        let demuxer = HLSDemuxer(
            OpenRequest(location: LiveServer.playlist, source: root),
            root,
            url: LiveServer.playlist,
            backend: FFmpegBackend(),
            resources: resources
        )
        _ = try demuxer.open()
        server.change { ($0.segments, $0.seconds) = (2..<8, 102) }
        // The segments from the fourth on begin at 4.5 s, and end at 7.5 s.
        while case .ready(let packet?) = try demuxer.read(), (packet.decodeTime ?? .zero) < .seconds(8) {}
        let range = try #require(resources.liveWindow?.range)
        // By the declared durations it would be from 3 s to 12 s.
        #expect(range.start < .seconds(2.2) && range.end < .seconds(11.2))
        #expect(range.end > .seconds(9.4))
    }

    @Test("A seek publishes the newest version, and the time at which an unchanged one was reloaded")
    func seeks() throws {
        _ = try demuxer.open()
        server.change { ($0.segments, $0.seconds) = (4..<10, 104) }
        _ = try demuxer.seek(to: .seconds(8), preference: .atOrBefore)
        #expect(window == [4, 10, 104, 0])
        server.change { $0.seconds = 106 }
        _ = try demuxer.seek(to: .seconds(8), preference: .atOrBefore)
        #expect(window == [4, 10, 106, 0])
        server.change { ($0.segments, $0.seconds, $0.hasEnded) = (6..<12, 108, true) }
        _ = try demuxer.seek(to: .seconds(8), preference: .atOrBefore)
        #expect(window == [6, 12, 108, 1])
    }

    @Test("A window has the dates of its version of the playlist")
    func dates() throws {
        _ = try demuxer.open()
        #expect(resources.liveWindow?.dates == [])
        server.change { ($0.segments, $0.seconds, $0.isDated) = (4..<10, 104, true) }
        _ = try demuxer.seek(to: .seconds(8), preference: .atOrBefore)
        let dates = try #require(resources.liveWindow?.dates)
        let span = try #require(dates.first)
        #expect(dates.count == 1)
        #expect([span.timeRange.start, span.timeRange.end].map { Int64($0.seconds.rounded()) } == [4, 10])
        // 2026-11-21 12:00:04 UTC.
        #expect(span.nanosecondsSince1970 == 1_795_262_404_000_000_000)
    }

    @Test("The window of an older version does not replace that of a newer one")
    func older() throws {
        _ = try demuxer.open()
        let first = try #require(resources.liveWindow)
        server.change { ($0.segments, $0.seconds) = (2..<8, 102) }
        _ = try demuxer.seek(to: .seconds(4), preference: .atOrBefore)
        let second = try #require(resources.liveWindow)
        resources.setLiveWindow(first)
        #expect(resources.liveWindow == second && second != first)
    }
}
