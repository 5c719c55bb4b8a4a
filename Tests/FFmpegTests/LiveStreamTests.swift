import MediaCore
import PlayheadBackend
import Testing

@testable import FFmpeg

/// Internet radio that sends MP3. Each connection begins and ends within a frame, after 40 kB.
private final class CutRadio: ResourceByteSource {
    let location = "http://host.test/radio"
    let isFile = false
    let byteCount: Int64? = nil
    let isSeekable = false
    let isLocal = false
    let isReusable = true
    let receivedBytes: Int64 = 0
    let now: Int64 = 0
    let liveMediaType: String?
    private let bytes: [UInt8]

    init(liveMediaType: String?) {
        self.liveMediaType = liveMediaType
        // Silence at 128 kbit/s. The ancillary data of a frame are not zero, so that its rest is no padding before the
        // next frame.
        let frame: [UInt8] = [0xFF, 0xFB, 0x90, 0x00] + [UInt8](repeating: 0, count: 412) + [1]
        let sent = [[UInt8]](repeating: frame, count: 97).flatMap(\.self)[200..<40_200]
        bytes = [ArraySlice<UInt8>](repeating: sent, count: 50).flatMap(\.self)
    }

    func openReferenced(_ reference: String, cachePolicy: CachePolicy, validatedAfter: Int64)
        throws(MediaError) -> any ResourceByteSource
    {
        self
    }
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        let part = bytes.dropFirst(Int(offset)).prefix(buffer.count)
        buffer.copyBytes(from: part)
        return part.count
    }
    func removeReader(_ context: ReadContext) {}
    func setVolatile() {}
    func wake(_ context: ReadContext, after delay: Int64) {}
    func cancel() {}
}

@Suite("Live streams")
struct LiveStreamTests {
    private func open(_ liveMediaType: String?) throws -> MediaDescription {
        let source = CutRadio(liveMediaType: liveMediaType)
        return try FFmpegDemuxer(OpenRequest(location: "radio", source: source)).open().get()
    }

    @Test("MP3 that is cut into short pieces is recognized by the declared media type")
    func cutRadio() throws {
        let description = try open("audio/mpeg")
        #expect(description.formatName == "mp3")
        #expect(description.tracks.map(\.codec) == ["mp3"])
        let error = #expect(throws: MediaError.self) { try open(nil) }
        #expect(error?.code == .unrecognizedFormat)
    }
}
