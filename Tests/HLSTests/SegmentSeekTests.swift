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
