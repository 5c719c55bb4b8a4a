import FFmpeg
import Foundation
import MediaCore
import PlayheadBackend
import PlayheadTesting
import TestSupport
import Testing

/// A track without a track ID would cost libav a second of CPU time per fragment.
@Suite("Fragmented files in which a track has no track ID", .enabled(if: Fixture.areThere, "make fixtures"))
struct FragmentCheckTests {
    enum Change: CaseIterable {
        case noHeader, largestNumber, negativeNumber
    }

    /// Returns the bytes of a file with a changed header of the first track.
    private static func bytes(_ name: String, _ change: Change) throws -> [UInt8] {
        var bytes = [UInt8](try Data(contentsOf: Fixture.url(name)))
        let header = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("tkhd".utf8)) })
        // The name is followed by version and flags, then by two times, in version 0.
        #expect(bytes[header + 4] == 0)
        let number = header + 16
        switch change {
        case .noHeader: bytes.replaceSubrange(header..<header + 4, with: Array("free".utf8))
        case .largestNumber: bytes.replaceSubrange(number..<number + 4, with: [255, 255, 255, 255])
        case .negativeNumber: bytes.replaceSubrange(number..<number + 4, with: [128, 0, 0, 1])
        }
        return bytes
    }

    private static func open(_ bytes: [UInt8], isLocal: Bool = true) throws(MediaError) -> MediaDescription {
        var request = OpenRequest(location: "smashed.mp4")
        request.source = ScriptedByteSource(bytes, isLocal: isLocal)
        return try FFmpegDemuxer(request).open().get()
    }

    @Test("Fragmented files without a track ID throw an error", arguments: Change.allCases, [true, false])
    func refused(_ change: Change, isLocal: Bool) throws {
        let bytes = try Self.bytes("clip-fragmented.mp4", change)
        let error = #expect(throws: MediaError.self) { try Self.open(bytes, isLocal: isLocal) }
        #expect(error?.code == .unrecognizedFormat)
        #expect(error?.message.contains("no track ID") == true)
        #expect(error?.location == "smashed.mp4")
    }

    @Test("Files without fragments play", arguments: Change.allCases)
    func plain(_ change: Change) throws {
        for name in ["clip-h264-aac.mp4", "clip-moov-at-end.mp4"] {
            #expect(try !Self.open(Self.bytes(name, change)).tracks.isEmpty)
        }
    }

    @Test("Boxes that extend beyond their parent, and lengths that overflow, do not trap")
    func lengths() throws {
        let whole = try Self.bytes("clip-fragmented.mp4", .largestNumber)
        let movie = try #require(whole.indices.first { whole[$0...].starts(with: Array("moov".utf8)) })
        for length: [UInt8] in [
            [255, 255, 255, 255], [127, 255, 255, 255], [0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 9],
        ] {
            var bytes = whole
            bytes.replaceSubrange(movie - 4..<movie, with: length)
            // Opening may fail with any message, but without delay.
            do throws(MediaError) { _ = try Self.open(bytes) } catch { #expect(!error.message.isEmpty) }
        }
        for count in stride(from: 8, to: min(whole.count, 1400), by: 3) {
            do throws(MediaError) { _ = try Self.open(Array(whole.prefix(count))) } catch {
                #expect(!error.message.isEmpty)
            }
        }
    }
}
