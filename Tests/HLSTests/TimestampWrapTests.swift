import FFmpeg
import MediaCore
import PlayheadBackend
import TestSupport
import Testing

@testable import HLS

/// A server of a presentation whose files are in memory.
private final class WrapServer: MemoryServer {
    static let playlist = "http://host.test/live.m3u8"
    private let files: [String: [UInt8]]
    let now: Int64 = 0

    init() throws { files = try Presentation.files("segments up to the wrap") }

    func bytes(of location: String) -> [UInt8]? {
        files["/" + (location.split(separator: "/").last ?? "")]
    }
}

/// Presentations that are longer than a cycle of the timestamps in MPEG-TS.
@Suite("HLS: timestamps that wrap around", .enabled(if: Fixture.areThere, "make fixtures"))
struct TimestampWrapTests {
    /// Opens local readers of the presentation, one after the other, at these times.
    private func withReaders(at times: [MediaTime?], _ body: ([DetectingDemuxer]) throws -> Void) throws {
        let folder = try Presentation.folder("segments up to the wrap")
        defer { withExtendedLifetime(folder) {} }
        let location = folder.path("list.m3u8")
        let resources = PresentationResources(root: FileResource(location: location))
        var readers: [DetectingDemuxer] = []
        defer { for reader in readers { reader.cancel() } }
        for time in times {
            let reader = DetectingDemuxer(local: location, startTime: time, resources: resources)
            readers.append(reader)
            _ = try reader.open().get()
        }
        try body(readers)
    }

    @Test("A reader continues after the wrap within a segment")
    func reading() throws {
        try withReaders(at: [nil]) { readers in
            var times: [Double] = []
            while let packet = try readers[0].read().get() {
                if let time = packet.presentationTime { times.append(time.seconds) }
            }
            let last = try #require(times.max())
            #expect((95_442.9...95_443.1).contains(last))
            #expect(times.allSatisfy { $0 > -0.2 })
        }
    }

    @Test("A reader that opens next to the wrap has the times of the presentation, and seeks across it")
    func opening() throws {
        try withReaders(at: [nil, .seconds(95_441)]) { readers in
            let later = readers[1]
            for target in [95_442.8, 1, 95_441, 95_442.8] {
                try later.seek(to: .seconds(target), preference: .atOrBefore).get()
                let packet = try #require(try later.read().get())
                let time = try #require(packet.presentationTime).seconds
                #expect((target - 1.5...target + 0.1).contains(time), "\(target)")
            }
        }
    }

    @Test("A reader that opens a live presentation next to the wrap begins in the published window")
    func live() throws {
        let server = try WrapServer()
        let root = try MemoryResource(server, WrapServer.playlist)
        let resources = PresentationResources(root: root)
        // The first reader begins with the first segment, and the second with the last.
        for (offset, start) in [(100_000.0, 0.0), (1, 95_440)] {
            var request = OpenRequest(location: WrapServer.playlist, source: root)
            request.options.liveOffset = .seconds(offset)
            let demuxer = HLSDemuxer(
                request,
                root,
                url: WrapServer.playlist,
                backend: FFmpegBackend(),
                resources: resources
            )
            let description = try demuxer.open().get()
            let joinTime = try #require(description.joinTime)
            #expect(abs(joinTime.seconds - start) < 0.5)
            let packet = try #require(try demuxer.read().get())
            let time = try #require(packet.presentationTime)
            #expect(abs(time.seconds - start) < 0.5)
            demuxer.cancel()
        }
    }
}
