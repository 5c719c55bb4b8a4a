import MediaCore
import PlayheadBackend

@testable import FFmpeg
@testable import HLS

extension FuzzTarget {
    /// Subtitles: a WebVTT segment with its timestamp map, and the cues of text in any format.
    static let subtitles = FuzzTarget("subtitles", maximumLength: 16 << 10) { input in
        do throws(MediaError) {
            let segment = try SubtitleSegment(input)
            for time in [MediaTime.zero, .seconds(95_443), MediaTime(value: .max, timescale: 1)] {
                guard segment.shift(near: time).isNumeric else { return "a shift that is not a number" }
            }
        } catch {
            if error.message.isEmpty { return "an error without a message" }
        }
        for container in ["webvtt", "srt", "ass"] {
            var request = OpenRequest(location: "input", source: DataByteSource(input, name: "input"))
            request.container = container
            do throws(MediaError) {
                var run = DemuxerRun(FFmpegDemuxer(request))
                try run.run()
            } catch {
                if error.message.isEmpty { return "an error without a message" }
            }
        }
        let text = String(decoding: input, as: UTF8.self)
        _ = PlainText.ofEvent(text, fieldCount: PlainText.fieldCount(header: text))
        return nil
    }

    /// ID3 tags of timed metadata, and those at the start of packed audio.
    static let id3 = FuzzTarget("id3") { input in
        _ = ID3Tag.values(input)
        let missing = TimestampTag.missing(of: input)
        if let missing, missing < 0 { return "a negative number of missing bytes" }
        if let tag = TimestampTag(input), tag.byteCount > input.count { return "a tag beyond its bytes" }
        return nil
    }

    /// Packets: the search for frames that no other frame needs. The first byte is the number of bytes of the codec
    /// configuration, which follows.
    static let packets = FuzzTarget("packets") { input in
        guard let count = input.first.map(Int.init) else { return nil }
        // Memory of its own for each part, so that the address sanitizer notices a byte too far.
        return withCopy(input.dropFirst().prefix(count)) { configuration in
            withCopy(input.dropFirst(1 + count)) { packet in
                let scans: [(any ReferenceScan)?] = [
                    H264FrameScan(configuration: configuration), HEVCFrameScan(configuration: configuration),
                    AV1FrameScan(configuration: configuration),
                ]
                for case var scan? in scans {
                    scan.noteKeyFrame(packet)
                    if scan.isUnreferenced(packet), packet.isEmpty { return "an empty packet has a frame" }
                }
                return nil
            }
        }
    }

    private static func withCopy<Result>(
        _ bytes: ArraySlice<UInt8>,
        _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        defer { copy.deallocate() }
        copy.copyBytes(from: bytes)
        return body(UnsafeRawBufferPointer(copy))
    }
}
