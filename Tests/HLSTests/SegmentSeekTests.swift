import FFmpeg
import Foundation
import MediaCore
import PlayheadBackend
import TestSupport
import Testing

@testable import HLS

/// Seeks in presentations with missing segments.
@Suite("HLS: seeks to missing segments", .enabled(if: Fixture.areThere, "make fixtures"))
struct SegmentSeekTests {
    @Test(
        "A seek skips a missing segment, which the next read reports",
        arguments: [
            // The missing segment, the target, the sync point before it, and the number of reported errors.
            (5, 5.2, 4.5, 1), (5, 6.2, 6, 0), (11, 11.2, 10.5, 1), (0, 5.2, 5, 1),
        ] as [(Int, Double, Double, Int)]
    )
    func missing(segment: Int, target: Double, syncPoint: Double, errors: Int) throws {
        let folder = try Presentation.folder("twelve segments")
        defer { withExtendedLifetime(folder) {} }
        try FileManager.default.removeItem(at: folder.file("\(segment).ts"))
        let demuxer = DetectingDemuxer(local: folder.path("list.m3u8"))
        _ = try demuxer.open().get()
        try demuxer.seek(to: .seconds(target), preference: .atOrBefore).get()
        var messages: [String] = []
        var packet: Packet?
        while packet == nil, messages.count < 4 {
            do throws(MediaError) {
                guard let read = try demuxer.read().get() else { break }
                packet = read
            } catch {
                #expect(error.isRetryable)
                messages.append(error.message)
            }
        }
        let time = try #require(packet?.presentationTime).seconds
        #expect(abs(time - syncPoint) < 0.001)
        #expect(messages.count == errors)
        #expect(messages.allSatisfy { $0.contains("segment \(segment)") }, "\(messages)")
        demuxer.cancel()
    }
}

/// A presentation of twelve segments in memory, whose playlist may declare wrong durations. The media have segments of
/// a second.
private final class SegmentServer: MemoryServer {
    static let playlist = "http://host.test/list.m3u8"
    let now: Int64 = 0
    private let files: [String: [UInt8]]
    private let duration: Double
    private let requested = Locked(Set<Int>())

    init(_ name: String, duration: Double = 1) throws {
        self.duration = duration
        files = try Presentation.files(name)
    }

    /// Opens the presentation and seeks to a time. Returns the time of the first packet.
    func seek(to target: Double) throws -> Double {
        let root = try MemoryResource(self, Self.playlist)
        let demuxer = HLSDemuxer(
            OpenRequest(location: Self.playlist, source: root),
            root,
            url: Self.playlist,
            backend: FFmpegBackend(),
            resources: PresentationResources(root: root)
        )
        defer { demuxer.cancel() }
        _ = try demuxer.open().get()
        try demuxer.seek(to: .seconds(target), preference: .atOrBefore).get()
        let packet = try #require(try demuxer.read().get())
        return try #require(packet.presentationTime).seconds
    }

    /// The numbers of the segments that were opened.
    var segments: Set<Int> { requested.withLock { $0 } }

    func bytes(of location: String) -> [UInt8]? {
        let name = location.split(separator: "/").last ?? ""
        if let number = Int(name.prefix { $0 != "." }) { requested.withLock { _ = $0.insert(number) } }
        guard location == Self.playlist else { return files["/" + name] }
        let segments = (0..<12).map { "#EXTINF:\(duration),\n\($0).ts\n" }.joined()
        return Array("#EXTM3U\n#EXT-X-TARGETDURATION:1\n\(segments)#EXT-X-ENDLIST\n".utf8)
    }
}

/// Seeks to groups of pictures that span several segments.
@Suite("HLS: seeks in long groups of pictures", .enabled(if: Fixture.areThere, "make fixtures"))
struct LongGroupTests {
    @Test("A seek searches backward for the only key frame, and reads nothing after its target")
    func oneKeyFrame() throws {
        let server = try SegmentServer("one key frame")
        #expect(try abs(server.seek(to: 6.2)) < 0.001)
        #expect(server.segments.isDisjoint(with: [8, 9, 10, 11]), "\(server.segments)")
    }
}

@Suite("HLS: seeks with wrong durations", .enabled(if: Fixture.areThere, "make fixtures"))
struct RoundedDurationTests {
    @Test(
        "A seek goes to the segment that contains the target, not through all in between",
        arguments: [
            // The declared duration, the target, the sync point before it, and segments that are not needed.
            (1.5, 11.2, 11, [9, 10]), (0.5, 5.2, 5, [7, 8, 9]),
        ] as [(Double, Double, Double, Set<Int>)]
    )
    func few(duration: Double, target: Double, syncPoint: Double, unneeded: Set<Int>) throws {
        let server = try SegmentServer("twelve segments", duration: duration)
        #expect(try abs(server.seek(to: target) - syncPoint) < 0.001)
        #expect(server.segments.isDisjoint(with: unneeded), "\(server.segments)")
    }

    @Test(
        "A seek also finds the segment of an audio rendition whose playlist declares too short durations",
        arguments: ["separate audio", "separate audio of fmp4", "packed audio"]
    )
    func audio(_ name: String) throws {
        let folder = try Presentation.folder(name)
        defer { withExtendedLifetime(folder) {} }
        // By these durations the sync point is in the third segment, and by its media in the second one.
        let text = String(decoding: try Data(contentsOf: folder.file("a.m3u8")), as: UTF8.self)
        let lines = text.split(separator: "\n").map { line in
            line.hasPrefix("#EXTINF:") ? "#EXTINF:0.4,\n" : line + "\n"
        }
        try folder.write("a.m3u8", Array(lines.joined(separator: "").utf8))
        let demuxer = DetectingDemuxer(local: folder.path("master.m3u8"))
        let description = try demuxer.open().get()
        let track = try #require(description.tracks.first { $0.mediaType == .audio }?.id)
        try demuxer.seek(to: .seconds(1.6), preference: .atOrBefore).get()
        var first: MediaTime?
        while first == nil, let packet = try demuxer.read().get() {
            if packet.track == track { first = packet.presentationTime }
        }
        // The sync point is at 1.5 s. Decoding of the audio begins a little earlier.
        let time = try #require(first).seconds
        #expect((1.25...1.45).contains(time))
        demuxer.cancel()
    }
}
