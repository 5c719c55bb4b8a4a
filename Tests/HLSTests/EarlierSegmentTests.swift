import FFmpeg
import MediaCore
import PlayheadBackend
import TestSupport
import Testing

@testable import HLS

/// Seeks to segments before the one with which a presentation was opened.
@Suite("HLS: earlier segments", .enabled(if: Fixture.areThere, "make fixtures"))
struct EarlierSegmentTests {
    @Test("A demuxer that was opened at a later segment returns to an earlier one at its own time")
    func earlierSegment() throws {
        let folder = try Presentation.folder("two segments far apart")
        defer { withExtendedLifetime(folder) {} }
        let location = folder.path("list.m3u8")
        let resources = PresentationResources(root: FileResource(location: location))
        func open(at start: MediaTime?) throws -> DetectingDemuxer {
            let demuxer = DetectingDemuxer(local: location, startTime: start, resources: resources)
            _ = try demuxer.open().get()
            return demuxer
        }
        // The presentation is known when the second demuxer opens, as after a change of the variant.
        let first = try open(at: nil)
        let later = try open(at: .seconds(101))
        for (target, range) in [(101.0, 99.0...102.0), (1.0, 0.0...2.0), (101.0, 99.0...102.0)] {
            try later.seek(to: .seconds(target), preference: .atOrBefore).get()
            let packet = try #require(try later.read().get())
            let time = try #require(packet.presentationTime).seconds
            #expect(range.contains(time), "\(target)")
        }
        first.cancel()
        later.cancel()
    }
}
