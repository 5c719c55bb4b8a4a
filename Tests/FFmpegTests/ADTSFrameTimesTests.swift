import CFFmpeg
import Testing

@testable import FFmpeg

@Suite("Times of AAC in ADTS")
struct ADTSFrameTimesTests {
    /// The indexes of 48 and 24 kHz in the header of a frame.
    private static let high: UInt8 = 3
    private static let low: UInt8 = 6

    /// Returns the times of frames, of which libav counts each one with the same duration.
    private func times(
        of frames: [(number: Int64, rateIndex: UInt8)],
        by times: inout ADTSFrameTimes,
        duration: Int64 = 1024
    ) throws -> [Int64] {
        var result: [Int64] = []
        for frame in frames {
            let owner = try PacketOwner()
            let header: [UInt8] = [0xFF, 0xF1, 0x40 | frame.rateIndex << 2, 0x80, 1, 0x1F, 0xFC]
            try #require(av_new_packet(owner.pointer, Int32(header.count)) == 0)
            for (index, byte) in header.enumerated() { owner.pointer.pointee.data[index] = byte }
            owner.pointer.pointee.pts = frame.number * 1024
            owner.pointer.pointee.dts = frame.number * 1024
            owner.pointer.pointee.duration = duration
            owner.pointer.pointee.pos = frame.number * 100
            times.setTime(of: owner.pointer)
            result.append(owner.pointer.pointee.pts)
        }
        return result
    }

    @Test("Frames of another sample rate have its duration, also after a seek")
    func changes() throws {
        var adts = ADTSFrameTimes(stream: 0)
        let indexes = [Self.high, Self.high, Self.low, Self.low, Self.high, Self.high]
        let frames = indexes.enumerated().map { (number: Int64($0.offset), rateIndex: $0.element) }
        let whole = try times(of: frames, by: &adts)
        #expect(whole == [0, 1024, 2048, 4096, 6144, 7168])
        #expect(adts.request(for: 4096) == 3 * 1024)
        #expect(adts.request(for: 7168) == 5 * 1024)
        for first in [3, 5, 0, 1] {
            adts.noteSeek()
            let rest = try times(of: Array(frames[first...]), by: &adts)
            #expect(rest == Array(whole[first...]))
        }
    }

    @Test("After a seek past a change that has not been read, times continue from those of libav")
    func unreadChange() throws {
        var adts = ADTSFrameTimes(stream: 0)
        _ = try times(of: [(0, Self.high)], by: &adts)
        adts.noteSeek()
        let later = try times(of: [(10, Self.low), (11, Self.low)], by: &adts)
        #expect(later == [10_240, 12_288])
        #expect(adts.request(for: 12_288) == 12_288)
    }

    @Test("Times of a libav that declares the duration of each frame are not changed")
    func correctTimes() throws {
        var adts = ADTSFrameTimes(stream: 0)
        _ = try times(of: [(0, Self.high)], by: &adts)
        let next = try times(of: [(1, Self.low), (3, Self.low)], by: &adts, duration: 2048)
        #expect(next == [1024, 3072])
    }
}
