import FFmpeg
import MediaCore
import PlayheadBackend
import Testing

/// Bitmap subtitles (PGS) that are written segment by segment, because ffmpeg has no encoder for them.
@Suite("Bitmap subtitles")
struct BitmapSubtitleTests {
    /// Returns a file with one subtitle: a rectangle of 8x2 pixels on a canvas.
    private func file(width: Int, height: Int) -> [UInt8] {
        func big(_ value: Int) -> [UInt8] { [UInt8(value >> 8 & 255), UInt8(value & 255)] }
        func segment(_ type: UInt8, _ content: [UInt8]) -> [UInt8] {
            Array("PG".utf8) + [0, 1, 0x5F, 0x90, 0, 0, 0, 0] + [type] + big(content.count) + content
        }
        let row: [UInt8] = [1, 1, 1, 1, 1, 1, 1, 1, 0, 0]
        let size = big(8) + big(2)
        let presentation =
            big(width) + big(height) + [0x10, 0, 0, 0x80, 0, 0, 1] + [0, 0, 0, 0] + big(10) + big(20)
        return segment(0x16, presentation) + segment(0x17, [1, 0] + big(10) + big(20) + size)
            + segment(0x14, [0, 0, 1, 235, 128, 128, 255])
            + segment(0x15, [0, 0, 0, 0xC0, 0, 0, UInt8(4 + 2 * row.count)] + size + row + row)
            + segment(0x80, [])
    }

    private func bitmaps(width: Int, height: Int, limit: Int) throws -> [SubtitleBitmap] {
        let source = DataByteSource(file(width: width, height: height), name: "a.sup")
        let demuxer = FFmpegDemuxer(
            OpenRequest(location: "a.sup", source: source, maximumPixelCount: limit)
        )
        let track = try #require(try demuxer.open().get().tracks.first)
        let decoder = try demuxer.makeTextDecoder(for: track.id).get()
        var result: [SubtitleBitmap] = []
        while let packet = try demuxer.read().get() {
            for cue in try decoder.decode(packet) {
                if case .bitmap(let bitmap)? = cue.drawing { result.append(bitmap) }
            }
        }
        return result
    }

    @Test("The canvas may be as large as a frame", arguments: [(1280, 720), (1920, 1080), (3840, 2160)])
    func sizes(width: Int, height: Int) throws {
        let bitmaps = try bitmaps(width: width, height: height, limit: 8192 * 4320)
        #expect(bitmaps.map(\.canvas) == [PixelSize(width: width, height: height)])
        #expect(bitmaps.first?.parts.map(\.rect) == [PixelRect(x: 10, y: 20, width: 8, height: 2)])
    }

    @Test("A canvas with more pixels than the limit is not decoded")
    func tooLarge() throws {
        #expect(try bitmaps(width: 1920, height: 1080, limit: 1 << 20).isEmpty)
    }
}
